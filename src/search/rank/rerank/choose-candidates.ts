import type { IndexView, Links } from '../../../search-index/rows/index-view.ts';
import { firstRows } from '../../scores/order.ts';
import { byScore } from '../../scores/sort-orders.ts';
import type { Fused } from '../fuse/fuse.ts';
import type { Nearness } from './nearness.ts';

/** Best by the weighted sum, and by vectors: those of an encoder find more that the sum passes over. */
export const candidateCounts = { bySum: 50, byStaticVectors: 20, byEncoder: 35 } as const;

/** A match that is looked at closely, and the rows around it in its conversation, as the search began: negative for none. */
export interface Candidate {
  readonly row: number;
  readonly before: number;
  readonly after: number;
  readonly twoBefore: number;
  readonly twoAfter: number;
  /** Memories before it in its conversation, up to 5. */
  readonly place: number;
}

export interface ChosenCandidates {
  /** Each row once. */
  readonly candidates: readonly Candidate[];
  /** The weighted sum of every other match is at most this. */
  readonly restMost: number;
  /** The best weighted sum. */
  readonly best: number;
}

/** What counts of the vectors of the memories around one, as in a semantic search. */
const around = { before: 0.3, after: 0.4, conversation: 0.45 } as const;
const placeMax = 5;
const nobody = -1;

export function chooseCandidates(
  { rows, scores }: Pick<Fused, 'rows' | 'scores'>,
  view: IndexView,
  nearness: Nearness,
): ChosenCandidates {
  const { bySum, byStaticVectors, byEncoder } = candidateCounts;
  const { index, size } = view;
  const best = firstRows(rows, Math.min(bySum + 1, rows.length), byScore(index, scores));
  const links = view.linksAround([{ rows: best }, { rows: nearness.found }]);
  const near = nearestOf(nearness, view, links, nearness.isOfEncoder ? byEncoder : byStaticVectors);
  const chosen = new Set([...best.slice(0, bySum), ...near]);
  const isRest = best.length > bySum;
  return {
    candidates: Array.from(chosen, (row) => candidateOf(row, links, size)),
    restMost: isRest ? Math.max(0, scores[best[bySum]]) : 0,
    best: best.length > 0 ? scores[best[0]] : 0,
  };
}

/** Rows whose texts are looked at: candidates and what is next to them; each once. */
export function rowsRead(candidates: readonly Candidate[]): number[] {
  const rows = new Set(candidates.flatMap(({ row, before, after }) => [row, before, after]));
  rows.delete(nobody);
  return [...rows];
}

function nearestOf(
  { found, of, ofConversation }: Nearness,
  { index }: IndexView,
  { previous, next }: Links,
  count: number,
): number[] {
  const { conversation, seqs } = index.columns;
  const windows = new Map<number, number>();
  for (const row of found) {
    const near = around.before * of(previous[row]) + around.after * of(next[row]);
    windows.set(row, of(row) + near + around.conversation * ofConversation(conversation[row]));
  }
  const score = (row: number) => windows.get(row) ?? 0;
  return firstRows(
    found,
    Math.min(count, found.length),
    (a, b) => score(b) - score(a) || index.orderTime(b) - index.orderTime(a) || seqs[b] - seqs[a],
  );
}

function candidateOf(row: number, { previous, next }: Links, size: number): Candidate {
  // Rows that came since the search began are nobody's neighbours.
  const at = (link: number) => (link >= 0 && link < size ? link : nobody);
  const before = at(previous[row]);
  const after = at(next[row]);
  let place = 0;
  for (let earlier = before; earlier !== nobody && place < placeMax; earlier = at(previous[earlier])) place++;
  return {
    row,
    before,
    after,
    twoBefore: before === nobody ? nobody : at(previous[before]),
    twoAfter: after === nobody ? nobody : at(next[after]),
    place,
  };
}
