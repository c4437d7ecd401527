import { bestRows } from '../../scores/order.ts';
import { withSummand } from '../fuse/fuse.ts';
import type { Rescorer } from '../rescorer.ts';

/** Number of best results to count exactly; each later one counts all of these of its conversation. */
const countedMax = 1000;
/** Earlier results of a conversation that count, so that a long one is not pushed out of the results. */
const earlierMax = 10;
/** Loss by each earlier result of the same conversation, in units of the weighted sum. */
const weight = -0.05;

/**
 * Spreads results over conversations if a question asks for a list, whose items are in several of them: each
 * result loses score by every better one of its conversation. Results of one conversation keep their order.
 */
export const lists: Rescorer = {
  name: 'lists',
  applies: ({ form, method, context }) => form.isListAsked && context && method !== 'semantic',
  rescore: async (ranked, { view }) => {
    const { index } = view;
    const { conversation } = index.columns;
    const { rows, scores } = ranked;
    const best = bestRows(rows, countedMax, index, scores);
    const counts = new Float64Array(index.conversations.size);
    const earlier = view.arrays.numbers(view.size);
    const ofBest = best.map((row) => Math.min(earlierMax, counts[conversation[row]]++));
    for (let i = 0; i < rows.length; i++)
      earlier[rows[i]] = Math.min(earlierMax, counts[conversation[rows[i]]]);
    for (const [i, row] of best.entries()) earlier[row] = ofBest[i];
    return withSummand(ranked, view, {
      signal: 'earlierOfConversation',
      group: 'conversation',
      phrase: 'better results of the same conversation',
      factor: weight,
      scores: earlier,
    });
  },
};
