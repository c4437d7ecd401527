import type { Topic } from './topic.ts';
import type { TopicReader } from './topic-store.ts';

export interface RelatedTopic {
  readonly topic: Topic;
  /** Memories with both, of those with either: 0-1. */
  readonly strength: number;
}

/** Topics looked at, those that share the most memories. */
const candidatesMax = 1000;

/** Topics of the same memories as `topic`, the strongest first, then by name. */
export async function relatedTopics(
  topics: TopicReader,
  topic: Topic,
  limit: number,
): Promise<RelatedTopic[]> {
  const cooccurring = await topics.cooccurringWith(topic.id, candidatesMax);
  const shared = new Map(cooccurring.map((pair) => [pair.topicId, pair.shared]));
  const found = await topics.findMany([...shared.keys()]);
  const related = found.map((other): RelatedTopic => {
    const common = shared.get(other.id) ?? 0;
    const either = topic.memoryCount + other.memoryCount - common;
    return { topic: other, strength: Math.min(1, common / Math.max(1, either)) };
  });
  related.sort((a, b) => b.strength - a.strength || (a.topic.name < b.topic.name ? -1 : 1));
  return related.slice(0, limit);
}
