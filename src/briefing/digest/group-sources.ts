import { groupBy } from '../../lib/collections.ts';
import type { DigestSource } from './digest.ts';

/** Sources under one heading. */
export interface SourceGroup {
  readonly title: string;
  readonly sources: readonly DigestSource[];
}

export const otherTitle = 'Other';
const groupMin = 2;

/**
 * Puts each source into one group: its most common topic, else its conversation if two sources
 * or more share it, else the last group. Groups are in the order of their best source.
 */
export function groupByMatter(sources: readonly DigestSource[]): SourceGroup[] {
  const counts = new Map<string, number>();
  for (const { memory } of sources)
    for (const topic of new Set(memory.topics)) counts.set(topic, (counts.get(topic) ?? 0) + 1);
  const conversations = new Map<string, number>();
  for (const { memory } of sources)
    conversations.set(memory.conversationId, (conversations.get(memory.conversationId) ?? 0) + 1);
  return groupByTitle(sources, ({ memory, conversation }) => {
    const topics = memory.topics.filter((topic) => (counts.get(topic) ?? 0) >= groupMin);
    const [topic] = topics.sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0));
    if (topic !== undefined) return topic;
    const isShared = (conversations.get(memory.conversationId) ?? 0) >= groupMin;
    return isShared ? (conversation?.title ?? otherTitle) : otherTitle;
  });
}

/** By conversation. */
export function groupByThread(sources: readonly DigestSource[]): SourceGroup[] {
  return groupByTitle(sources, ({ conversation }) => conversation?.title ?? otherTitle);
}

/** By title, the sources of no group last. */
export function groupByTitle(
  sources: readonly DigestSource[],
  titleOf: (source: DigestSource) => string,
): SourceGroup[] {
  const groups = groupBy(sources, titleOf);
  const others = groups.get(otherTitle);
  groups.delete(otherTitle);
  if (others) groups.set(otherTitle, others);
  return [...groups].map(([title, some]) => ({ title, sources: some }));
}
