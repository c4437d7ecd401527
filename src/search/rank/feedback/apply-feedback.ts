import type { IndexView } from '../../../search-index/rows/index-view.ts';
import type { Fused } from '../fuse/fuse.ts';
import { withFeature } from '../fuse/with-feature.ts';
import { feedbackShareMax } from './preference.ts';

/** As `branchScores` and explanations call it. */
export const feedbackSignal = 'feedback';

/**
 * The same matches, each with a share of its own score more or less by the feedback on its memory.
 * @param preferences by seq of a memory, from -1 to 1
 * @param weight 0 to 1
 */
export function applyFeedback(
  fused: Fused,
  view: IndexView,
  preferences: Float64Array,
  weight: number,
): Fused {
  const { seqs } = view.index.columns;
  const scores = view.arrays.numbers(view.size);
  for (let i = 0; i < fused.rows.length; i++) {
    const row = fused.rows[i];
    const preference = preferences[seqs[row]] ?? 0;
    if (preference !== 0) scores[row] = preference * Math.max(0, fused.scores[row]);
  }
  return withFeature(fused, view, {
    signal: feedbackSignal,
    group: feedbackSignal,
    phrase: 'feedback on earlier searches',
    factor: weight * feedbackShareMax,
    scores,
  });
}
