import type { TopicCandidate } from './topic-candidates.ts';

/** Statistics of the user's other texts, and similarity of phrases to the text. */
export interface TopicContext {
  /** Number of the user's texts with a phrase, given in lower case. */
  textsWith(phrase: string): number;
  /** Number of the user's texts. */
  readonly texts: number;
  /** Cosine of a phrase to the text. */
  closeness(phrase: string): number;
}

/** A key phrase of a text. */
export interface FoundTopic {
  /** An entity as written, or a noun phrase in lower case. */
  readonly name: string;
  readonly score: number;
}

const topicsMax = 3;
/** A single word is a topic only if this many texts have it, or if its cosine to the text is this high. */
const [knownMin, closeMin] = [2, 0.45];
const rarityMax = 5;

/**
 * Key phrases of a text, best first, by similarity to the text, rarity and earlier use; empty rather than a
 * poor one.
 */
export function rankTopics(
  candidates: readonly TopicCandidate[],
  context: TopicContext,
  max = topicsMax,
): FoundTopic[] {
  const scored = candidates.flatMap((candidate) => {
    const score = scoreOf(candidate, context);
    return score === undefined ? [] : [{ phrase: candidate.phrase, name: candidate.name, score }];
  });
  const topics: typeof scored = [];
  for (const topic of scored.sort((a, b) => b.score - a.score)) {
    if (topics.length >= max) break;
    if (!topics.some(({ phrase }) => phrase.includes(topic.phrase) || topic.phrase.includes(phrase)))
      topics.push(topic);
  }
  return topics.map(({ name, score }) => ({ name, score }));
}

function scoreOf({ phrase, kind, words, count }: TopicCandidate, context: TopicContext): number | undefined {
  const texts = context.textsWith(phrase);
  const isKnown = texts >= knownMin;
  const closeness = Math.max(0, context.closeness(phrase));
  if (words === 1 && kind === 'phrase' && !isKnown && closeness < closeMin) return undefined;
  const rarity = Math.min(Math.log(1 + context.texts / (1 + texts)), rarityMax) ** 0.4;
  const length = words === 1 ? 0.8 : words === 2 ? 1.15 : 1;
  const weight = (0.4 + closeness) * (1 + Math.log(count)) * length * rarity;
  return weight * (kind === 'phrase' ? 1 : 1.15) * (isKnown ? 1.25 : 1);
}
