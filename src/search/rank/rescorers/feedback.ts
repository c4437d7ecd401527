import { withSummand } from '../fuse/fuse.ts';
import type { Rescorer } from '../rescorer.ts';

/**
 * Maximum change of a score by feedback, as a share of the score:
 * a memory can only pass memories less than a tenth better.
 */
const feedbackShareMax = 0.05;

/** Raises or lowers each score by a share of itself, by the search feedback on its memory. */
export const feedback: Rescorer = {
  name: 'feedback',
  applies: ({ feedbackWeight }) => feedbackWeight !== 0,
  rescore: async (ranked, { plan, view, preferences }) => {
    const bySeq = await preferences();
    if (!bySeq) return ranked;
    const { seqs } = view.index.columns;
    const scores = view.arrays.numbers(view.size);
    for (let i = 0; i < ranked.rows.length; i++) {
      const row = ranked.rows[i];
      const preference = bySeq[seqs[row]] ?? 0;
      if (preference !== 0) scores[row] = preference * Math.max(0, ranked.scores[row]);
    }
    return withSummand(ranked, view, {
      signal: 'feedback',
      group: 'feedback',
      phrase: 'feedback on earlier searches',
      factor: plan.feedbackWeight * feedbackShareMax,
      scores,
    });
  },
};
