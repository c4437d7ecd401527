import type { IndexView } from '../../../search-index/rows/index-view.ts';
import { bestRows } from '../../scores/sort-orders.ts';
import type { Fused } from '../fuse/fuse.ts';
import { withFeature } from '../fuse/with-feature.ts';

/** Results that are counted exactly, the best; to one further down all of these of its conversation come before it. */
const countedMax = 1000;
/** A conversation that goes on and on is not pushed out of the results altogether. */
const earlierMax = 10;

/**
 * What is asked for several times stands in several conversations: each result gets less for every one of the same
 * conversation that comes before it. Their order among each other stays.
 */
export function spreadOverConversations(fused: Fused, view: IndexView, factor: number): Fused {
  const { index } = view;
  const { conversation } = index.columns;
  const { rows, scores } = fused;
  const best = bestRows(rows, countedMax, index, scores);
  const counts = new Float64Array(index.conversations.size);
  const earlier = view.arrays.numbers(view.size);
  const ofBest = best.map((row) => Math.min(earlierMax, counts[conversation[row]]++));
  for (let i = 0; i < rows.length; i++)
    earlier[rows[i]] = Math.min(earlierMax, counts[conversation[rows[i]]]);
  for (const [i, row] of best.entries()) earlier[row] = ofBest[i];
  return withFeature(fused, view, {
    signal: 'earlierOfConversation',
    group: 'conversation',
    phrase: 'better results of the same conversation',
    factor,
    scores: earlier,
  });
}
