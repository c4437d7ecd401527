import { dot } from '../../../domain/embedding/similarity.ts';
import { effectiveStates, isBefore, isOutdated, type Memory } from '../../../domain/memories/memory.ts';
import { HOUR_MS } from '../../../domain/shared/time.ts';
import { speakerOf } from '../../../language/text/speaker.ts';
import { type IndexReader, outdatedPartTrait } from '../../../search-index/ports.ts';
import type { IndexView } from '../../../search-index/rows/index-view.ts';
import { perLength } from '../../../search-index/vectors/quantize.ts';
import { replacedAmong, saysChange } from '../../matters/replaced-among.ts';
import { bestRows } from '../../scores/order.ts';
import { type Fused, withSummand } from '../fuse/fuse.ts';
import type { RankContext, Rescorer } from '../rescorer.ts';

/** Number of best results that are compared with each other. */
const comparedMax = 20;
/** Bounds of a newer result that comes before an older one. */
interface SimilarBar {
  /** Minimum cosine of the two. */
  readonly cosine: number;
  /** Minimum share of the older one's score. */
  readonly share: number;
}
/** At a recency of 1: of changed decisions, nine of ten pairs have this cosine. */
const atFullRecency: SimilarBar = { cosine: 0.4, share: 0.2 };
/** Of a newer one that says that something changed, whatever the recency. */
const ofChange: SimilarBar = { cosine: 0.6, share: 0.6 };
/** Memories this close in time are one state. */
const apartMin = HOUR_MS;
/** Share of its size by which a lifted score exceeds the older one's. */
const margin = 0.0001;

/** Whether each state is of a memory that another one replaces. */
const hidden = effectiveStates.map(isOutdated);
/** Number of best results of which outdated ones get the memory that replaces them in front. */
const outdatedMax = 50;

/**
 * Ranks the newer of two results on the same matter first. A memory that supersedes or contradicts another
 * result, or replaces a part of it, always comes before it, and so does one whose text gives another value of the same
 * thing. Of other similar results, the newer one gets the score
 * of the older one if it says that something changed, or if its own is at least the share that `recency` (0 to 1)
 * requires: a fifth at 1; this has no effect without vectors to compare. Measured by `npm run bench changed`.
 */
export const newer: Rescorer = {
  name: 'newer',
  applies: () => true,
  rescore: async (ranked, context) => {
    const { plan, view, memoriesOf } = context;
    const { filter } = plan;
    const lifts = view.arrays.numbers(view.size);
    const best = await memoriesOf(bestRows(ranked.rows, comparedMax, view.index, ranked.scores));
    const similar = await liftSimilar(ranked, context, best, lifts);
    const said = await liftSameMatter(ranked, context, best, lifts);
    const hasOutdated = filter.includeSuperseded || view.index.partlyOutdated > 0;
    const replacing = hasOutdated ? await liftReplacing(ranked, context, lifts) : [];
    if ([...similar, ...said, ...replacing].every((row) => lifts[row] === 0)) return ranked;
    return withSummand(ranked, view, {
      signal: 'newer',
      group: 'newer',
      phrase: 'newer than a result on the same matter',
      factor: 1,
      scores: lifts,
    });
  },
};

/** Lifts the newer of similar results. @returns the compared rows */
async function liftSimilar(
  { scores }: Fused,
  { plan: { recency }, view: { index }, reader }: RankContext,
  memories: readonly Memory[],
  lifts: Float64Array,
): Promise<readonly number[]> {
  const changes = new Map(memories.map((memory) => [index.rowOf(memory.doc), saysChange(memory)]));
  if (index.space === 0 || (recency === 0 && ![...changes.values()].includes(true))) return [];
  const speakers = new Map(memories.map(({ doc, content }) => [index.rowOf(doc), speakerOf(content)?.name]));
  const rows = [...changes.keys()];
  const cosineOf = await cosinesAmong(rows, index, reader);
  const share = 1 - recency * (1 - atFullRecency.share);
  const inTime = rows.toSorted((a, b) => index.orderTime(a) - index.orderTime(b));
  for (const [i, row] of inTime.entries()) {
    for (const older of inTime.slice(0, i)) {
      if (index.orderTime(row) - index.orderTime(older) < apartMin) break;
      const cosine = cosineOf(row, older);
      const isLifted = ({ cosine: cosineMin, share: shareMin }: SimilarBar) =>
        scores[row] >= shareMin * scores[older] && cosine >= cosineMin;
      const byChange = changes.get(row) === true && speakers.get(row) === speakers.get(older);
      const byRecency = recency > 0 && isLifted({ ...atFullRecency, share });
      if (byRecency || (byChange && isLifted(ofChange))) lift(lifts, scores, row, older);
    }
  }
  return rows;
}

/** Lifts the results whose texts replace others, the earliest first. @returns the lifted rows */
async function liftSameMatter(
  { scores }: Fused,
  { view: { index } }: RankContext,
  memories: readonly Memory[],
  lifts: Float64Array,
): Promise<readonly number[]> {
  const byId = new Map(memories.map((memory) => [memory.id, memory]));
  const pairs = [...(await replacedAmong(memories))].flatMap(([id, later]) => {
    const earlier = byId.get(id);
    return earlier ? [{ earlier, later }] : [];
  });
  const lifted = pairs
    .sort((a, b) => (isBefore(a.earlier, b.earlier) ? -1 : 1))
    .map(({ earlier, later }) => {
      const row = index.rowOf(later.doc);
      lift(lifts, scores, row, index.rowOf(earlier.doc));
      return row;
    });
  return lifted;
}

/** Lifts the results that replace outdated ones, in the order of writing. @returns the lifted rows */
async function liftReplacing(
  { rows, scores }: Fused,
  { view: { index }, newerOf }: RankContext,
  lifts: Float64Array,
): Promise<readonly number[]> {
  const { seqs, effectiveState, traits } = index.columns;
  const outdated = bestRows(rows, outdatedMax, index, scores)
    .filter((row) => hidden[effectiveState[row]] || (traits[row] & outdatedPartTrait) !== 0)
    .sort((a, b) => seqs[a] - seqs[b]);
  if (outdated.length === 0) return [];
  const newerBySeq = await newerOf(outdated.map((row) => seqs[row]));
  const replacing = new Set([...newerBySeq.values()].flatMap((found) => found.map(({ seq }) => seq)));
  const rowOf = new Map<number, number>();
  for (let i = 0; i < rows.length; i++) if (replacing.has(seqs[rows[i]])) rowOf.set(seqs[rows[i]], rows[i]);
  for (const older of outdated)
    for (const { seq } of newerBySeq.get(seqs[older]) ?? []) {
      const row = rowOf.get(seq);
      if (row !== undefined && row !== older) lift(lifts, scores, row, older);
    }
  return [...rowOf.values()];
}

/** Gives a row a little more than the score of another, lifts included, unless it has that already. */
function lift(lifts: Float64Array, scores: Float64Array, row: number, other: number): void {
  const lifted = scores[other] + lifts[other];
  lifts[row] = Math.max(lifts[row], lifted + Math.abs(lifted) * margin - scores[row]);
}

/** Cosine of two of these rows, by the vectors of their whole texts; 0 if one has none yet. */
async function cosinesAmong(
  rows: readonly number[],
  { space, columns }: IndexView['index'],
  reader: Pick<IndexReader, 'vectorsOf'>,
): Promise<(a: number, b: number) => number> {
  const read = await reader.vectorsOf(
    space,
    rows.map((row) => columns.docs[row]),
  );
  const byDoc = new Map(read.flatMap(({ doc, part, vector }) => (part === 0 ? [[doc, vector]] : [])));
  return (a, b) => {
    const [one, other] = [byDoc.get(columns.docs[a]), byDoc.get(columns.docs[b])];
    return one && other ? dot(one, other) * perLength(one) * perLength(other) : 0;
  };
}
