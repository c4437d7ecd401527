import { dot } from '../../../domain/embedding/similarity.ts';
import { HOUR_MS } from '../../../domain/shared/time.ts';
import type { IndexReader } from '../../../search-index/ports.ts';
import type { IndexView } from '../../../search-index/rows/index-view.ts';
import { perLength } from '../../../search-index/vectors/quantize.ts';
import { bestRows } from '../../scores/order.ts';
import { withSummand } from '../fuse/fuse.ts';
import type { Rescorer } from '../rescorer.ts';

/** Number of best results that are compared with each other. */
const comparedMax = 20;
/** Minimum cosine of two memories on one matter: of changed decisions, nine of ten pairs have it. */
const cosineMin = 0.4;
/** Minimum share of the older memory's score that the newer one needs, at a recency of 1. */
const shareMin = 0.2;
/** Memories this close in time are one state. */
const apartMin = HOUR_MS;
/** Factor by which a lifted result exceeds the older one. */
const margin = 1.0001;

/**
 * Ranks the newer of two results on the same matter first: it gets the score of the
 * older one if its own is at least the share that `recency` (0 to 1) requires: a fifth
 * at 1. No effect without vectors to compare. Measured by `npm run bench changed`.
 */
export const newer: Rescorer = {
  name: 'newer',
  applies: ({ recency }) => recency !== 0,
  rescore: async (ranked, { plan: { recency }, view, reader }) => {
    const { index } = view;
    if (index.space === 0) return ranked;
    const best = bestRows(ranked.rows, comparedMax, index, ranked.scores);
    const cosineOf = await cosinesAmong(best, index, reader);
    const inTime = best.toSorted((a, b) => index.orderTime(a) - index.orderTime(b));
    const share = 1 - recency * (1 - shareMin);
    const lifts = view.arrays.numbers(view.size);
    for (const [i, row] of inTime.entries()) {
      const own = ranked.scores[row];
      for (const older of inTime.slice(0, i)) {
        if (index.orderTime(row) - index.orderTime(older) < apartMin) break;
        const score = ranked.scores[older];
        if (own < share * score || cosineOf(row, older) < cosineMin) continue;
        lifts[row] = Math.max(lifts[row], (score + lifts[older]) * margin - own);
      }
    }
    if (best.every((row) => lifts[row] === 0)) return ranked;
    return withSummand(ranked, view, {
      signal: 'newer',
      group: 'newer',
      phrase: 'newer than a result on the same matter',
      factor: 1,
      scores: lifts,
    });
  },
};

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
