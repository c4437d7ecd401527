import { bestRows } from '../../scores/order.ts';
import { withSummand } from '../fuse/fuse.ts';
import type { Rescorer } from '../rescorer.ts';

/** Number of best results among which long texts change places. */
const orderedMax = 20;
/** Weight of the value of the best passage next to the share of the best score. */
const weight = 1;

/**
 * Orders the long texts among the best results by their passages too: the network was trained on short texts. They
 * exchange their scores, so that they stand to short texts as before.
 */
export const byPassage: Rescorer = {
  name: 'by-passage',
  applies: ({ method, mode, isTimeAlone }) => method === 'hybrid' && mode !== 'facts' && !isTimeAlone,
  rescore: async (ranked, { view, passages }) => {
    const { rows, scores } = ranked;
    const best = bestRows(rows, orderedMax, view.index, scores);
    const unit = scores[best[0]] || 1;
    const long = best.flatMap((row) => {
      const found = passages.of(row);
      return found ? [{ row, value: scores[row] / unit + weight * found.value }] : [];
    });
    const sorted = long.toSorted((a, b) => b.value - a.value);
    if (sorted.every(({ row }, i) => row === long[i].row)) return ranked;
    const moves = view.arrays.numbers(view.size);
    for (const [i, { row }] of sorted.entries()) moves[row] = scores[long[i].row] - scores[row];
    return withSummand(ranked, view, {
      signal: 'passage',
      group: 'passage',
      phrase: 'its best passage next to those of other long texts',
      factor: 1,
      scores: moves,
    });
  },
};
