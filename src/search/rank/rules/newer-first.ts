import { dot } from '../../../domain/embedding/similarity.ts';
import { HOUR_MS } from '../../../domain/shared/time.ts';
import type { IndexReader } from '../../../search-index/ports.ts';
import type { IndexView } from '../../../search-index/rows/index-view.ts';
import { perLength } from '../../../search-index/vectors/quantize.ts';
import { bestRows } from '../../scores/sort-orders.ts';
import type { Fused } from '../fuse/fuse.ts';
import { withFeature } from '../fuse/with-feature.ts';

/** Results that are compared with each other, the best. */
const comparedMax = 20;
/** Cosine of two memories about the same matter at least: of changed decisions nine of ten have it. */
const cosineMin = 0.4;
/** Share of the older one's score that the newer one must have, at a recency of 1. */
const shareMin = 0.2;
/** What is said within it is one state of affairs. */
const apartMin = HOUR_MS;
/** A lifted result comes first by so much. */
const margin = 1.0001;

/**
 * Of results on the same matter the newer comes first: it gets the score of the older one where its own is near enough.
 * Nothing changes where the index has no vectors to compare. `npm run bench changed` measures it.
 * @param recency 0 to 1: at 0 nothing is lifted, at 1 what has a fifth of the older one's score
 */
export async function liftNewer(
  fused: Fused,
  view: IndexView,
  reader: Pick<IndexReader, 'vectorsOf'>,
  recency: number,
): Promise<Fused> {
  const { index } = view;
  if (recency === 0 || index.space === 0) return fused;
  const best = bestRows(fused.rows, comparedMax, index, fused.scores);
  const cosineOf = await cosinesAmong(best, index, reader);
  const inTime = best.toSorted((a, b) => index.orderTime(a) - index.orderTime(b));
  const share = 1 - recency * (1 - shareMin);
  const lifts = view.arrays.numbers(view.size);
  for (const [i, newer] of inTime.entries()) {
    const own = fused.scores[newer];
    for (const older of inTime.slice(0, i)) {
      if (index.orderTime(newer) - index.orderTime(older) < apartMin) break;
      const score = fused.scores[older];
      if (own < share * score || cosineOf(newer, older) < cosineMin) continue;
      lifts[newer] = Math.max(lifts[newer], (score + lifts[older]) * margin - own);
    }
  }
  if (best.every((row) => lifts[row] === 0)) return fused;
  return withFeature(fused, view, {
    signal: 'newer',
    group: 'newer',
    phrase: 'newer than a result on the same matter',
    factor: 1,
    scores: lifts,
  });
}

/** Cosine of two of these rows, by the vectors of their whole texts; 0 where one has none yet. */
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
