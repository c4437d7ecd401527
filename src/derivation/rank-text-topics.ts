import type { DerivedTopic } from '../domain/derivation/derived.ts';
import { normaliseTopicName } from '../domain/topics/topic.ts';
import { rankTopics } from '../language/topics/rank-topics.ts';
import type { TopicPhrase } from './text-deriver.ts';
import type { WordStatistics } from './word-statistics.ts';

export interface RankedText {
  readonly doc: number;
  /** What the client gave. */
  readonly topics: readonly string[];
}

/**
 * The topics of a text, by the statistics of the user's other texts.
 * @param texts how many texts the statistics are of
 */
export function rankTextTopics(
  { doc, topics }: RankedText,
  phrases: readonly TopicPhrase[],
  statistics: WordStatistics,
  texts: number,
): DerivedTopic[] {
  const given = new Set(topics.map(normaliseTopicName));
  const byPhrase = new Map(phrases.map((phrase) => [phrase.phrase, phrase]));
  const candidates = phrases.filter(({ name }) => !given.has(normaliseTopicName(name)));
  return rankTopics(candidates, {
    texts,
    textsWith: (phrase) =>
      statistics.docsWith(byPhrase.get(phrase)?.terms ?? []).filter((other) => other !== doc).length,
    closeness: (phrase) => byPhrase.get(phrase)?.closeness ?? 0,
  });
}
