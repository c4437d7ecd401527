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

/** What topics are ranked by, besides the text. */
export interface TopicStatistics {
  readonly words: WordStatistics;
  /** How many texts the words are counted in. */
  readonly texts: number;
  /** Single words, normalised, that clients of the user gave as topics. */
  readonly given: ReadonlySet<string>;
}

/** A single word that is no name is a topic where it is this close to the text, or where a client uses it as one. */
const closeMin = 0.45;

export const isPlainWord = ({ kind, words }: TopicPhrase) => kind === 'phrase' && words === 1;

/** The topics of a text, by the statistics of the user's other texts. */
export function rankTextTopics(
  { doc, topics }: RankedText,
  phrases: readonly TopicPhrase[],
  { words, texts, given: used }: TopicStatistics,
): DerivedTopic[] {
  const given = new Set(topics.map(normaliseTopicName));
  const byPhrase = new Map(phrases.map((phrase) => [phrase.phrase, phrase]));
  const candidates = phrases
    .filter(({ name }) => !given.has(normaliseTopicName(name)))
    // In chat most words that come again say nothing of a text: support, journey.
    .filter(
      (phrase) =>
        !isPlainWord(phrase) || phrase.closeness >= closeMin || used.has(normaliseTopicName(phrase.name)),
    );
  return rankTopics(candidates, {
    texts,
    textsWith: (phrase) =>
      words.docsWith(byPhrase.get(phrase)?.terms ?? []).filter((other) => other !== doc).length,
    closeness: (phrase) => byPhrase.get(phrase)?.closeness ?? 0,
  });
}
