import { similarityOf } from '../../../domain/embedding/similarity.ts';
import type { RowTest } from '../../../search-index/columns/row-set.ts';
import type { IndexView, Links } from '../../../search-index/rows/index-view.ts';
import type { Near } from '../../arms/near-in-spaces.ts';
import { byScore, firstRows } from '../../scores/order.ts';
import type { Fused } from '../fuse/fuse.ts';

/**
 * Numbers of candidates, by weighted sum and by vectors.
 * An encoder finds more memories that the sum ranks low.
 */
export const candidateCounts = { bySum: 50, byStaticVectors: 20, byEncoder: 35 } as const;

/** A candidate and the rows around it in its conversation at the start of the search; negative for none. */
export interface Candidate {
  readonly row: number;
  readonly before: number;
  readonly after: number;
  readonly twoBefore: number;
  readonly twoAfter: number;
  /** Number of memories before it in its conversation, up to 5. */
  readonly place: number;
}

export interface ChosenCandidates {
  /** Each row once. */
  readonly candidates: readonly Candidate[];
  /** Upper bound of the weighted sum of every other match. */
  readonly restMost: number;
  /** The best weighted sum. */
  readonly best: number;
}

/** Weights of the similarities of neighbours and of the conversation, as in a semantic search. */
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

/** Rows whose texts are read: candidates and their neighbours, each once. */
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
  // Rows added since the search began are not neighbours.
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

/** Similarity that any two texts have: two thirds of that at which two texts are plausibly related. */
const similarityFloor = 1 / 3;
const bestOfConversation = 3;

/** Similarity of memories to the query by their vectors, above the floor. */
export interface Nearness {
  /** 0 for rows below the floor and for a missing row. */
  of(row: number): number;
  /** Mean of the three most similar memories of a conversation. */
  ofConversation(number: number): number;
  /** The best of the rows that pass the filter. */
  readonly best: number;
  readonly bestConversation: number;
  /** Matches of the search, the most similar first. */
  readonly found: readonly number[];
  readonly isOfEncoder: boolean;
}

/** @param matches tests whether a row found by vectors is a match of the search */
export function nearnessOf(
  { cosines, relatedCosine, isOfEncoder }: Near,
  { index }: IndexView,
  passes: RowTest,
  matches: RowTest,
): Nearness {
  const { conversation } = index.columns;
  const above = new Map<number, number>();
  const ofConversations = new Map<number, number[]>();
  let best = 0;
  for (const [row, cosine] of cosines) {
    const value = similarityOf(cosine, relatedCosine) - similarityFloor;
    if (!(value > 0)) continue;
    above.set(row, value);
    const others = ofConversations.get(conversation[row]);
    if (others) others.push(value);
    else ofConversations.set(conversation[row], [value]);
    if (value > best && passes(row)) best = value;
  }
  const means = new Map<number, number>();
  for (const [number, values] of ofConversations) means.set(number, meanOfBest(values));
  const found = [...above.keys()].filter(matches);
  return {
    of: (row) => above.get(row) ?? 0,
    ofConversation: (number) => means.get(number) ?? 0,
    best,
    bestConversation: found.reduce((most, row) => Math.max(most, means.get(conversation[row]) ?? 0), 0),
    found,
    isOfEncoder,
  };
}

function meanOfBest(values: number[]): number {
  values.sort((x, y) => y - x);
  let sum = 0;
  for (let i = 0; i < Math.min(bestOfConversation, values.length); i++) sum += values[i];
  return sum / bestOfConversation;
}
