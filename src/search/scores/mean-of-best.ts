import type { UserIndex } from '../../search-index/rows/user-index.ts';

const bestOfConversation = 3;

/** Mean of the three best scores by number of a conversation; missing ones count as 0. */
export function meanOfBest(
  { columns, conversations }: UserIndex,
  scores: Float64Array,
  rows: Iterable<number>,
): Float64Array {
  // The best scores of each conversation, descending. Sorted
  // lists took a seventh of the allocations of a search.
  const best = new Float64Array(conversations.size * bestOfConversation);
  for (const row of rows) {
    const from = columns.conversation[row] * bestOfConversation;
    let value = scores[row];
    for (let i = from; i < from + bestOfConversation && value > 0; i++) {
      if (value <= best[i]) continue;
      [best[i], value] = [value, best[i]];
    }
  }
  const means = new Float64Array(conversations.size);
  for (let i = 0; i < best.length; i++) means[Math.floor(i / bestOfConversation)] += best[i];
  for (let i = 0; i < means.length; i++) means[i] /= bestOfConversation;
  return means;
}
