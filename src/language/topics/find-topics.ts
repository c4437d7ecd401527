import type { AnalysedSentence, AnalysedText } from '../analysed-text.ts';
import type { EntityMention, EntityType } from '../entities/entity.ts';
import { nounChunksOf } from './noun-chunks.ts';

/** What is known of the user's other texts, and of closeness in meaning. */
export interface TopicContext {
  /** Texts of the user that have a phrase, which is in lower case. */
  textsWith(phrase: string): number;
  /** Texts of the user. */
  readonly texts: number;
  /** Cosine of the vectors of a phrase and of the text. */
  closeness(phrase: string): number;
}

/** A key phrase of a text. */
export interface FoundTopic {
  /** An entity as written, or a noun phrase in lower case. */
  readonly name: string;
  readonly score: number;
}

type Kind = 'phrase' | 'name' | 'entity';

interface Candidate {
  readonly name: string;
  readonly kind: Kind;
  readonly words: number;
  count: number;
}

const topicTypes: readonly EntityType[] = ['TECHNOLOGY', 'PROJECT', 'ORGANIZATION', 'LOCATION'];
const wholeTypes: readonly EntityType[] = [...topicTypes, 'PERSON'];
const lengthMin = 3;
/** Candidates that are compared with the text, the first ones. */
const candidatesMax = 60;
const topicsMax = 3;
/** A single word is a topic where the user has it already, or where it is this close to the text. */
const [knownMin, closeMin] = [2, 0.45];
const rarityMax = 5;

/**
 * Key phrases of a text, the best first: noun phrases and entities by closeness to the text, rarity, and whether the user
 * has them already. None rather than a poor one; none of a text that is not English but its entities.
 * @param entities of the text, in order
 */
export function findTopics(
  analysed: AnalysedText,
  entities: readonly EntityMention[],
  context: TopicContext,
  max = topicsMax,
): FoundTopic[] {
  const scored = [...candidatesOf(analysed, entities)]
    .slice(0, candidatesMax)
    .flatMap(([phrase, candidate]) => {
      const score = scoreOf(phrase, candidate, context);
      return score === undefined ? [] : [{ phrase, name: candidate.name, score }];
    });
  const topics: typeof scored = [];
  for (const topic of scored.sort((a, b) => b.score - a.score)) {
    if (topics.length >= max) break;
    if (!topics.some(({ phrase }) => phrase.includes(topic.phrase) || topic.phrase.includes(phrase)))
      topics.push(topic);
  }
  return topics.map(({ name, score }) => ({ name, score }));
}

function scoreOf(
  phrase: string,
  { kind, words, count }: Candidate,
  context: TopicContext,
): number | undefined {
  const texts = context.textsWith(phrase);
  const isKnown = texts >= knownMin;
  const closeness = Math.max(0, context.closeness(phrase));
  if (words === 1 && kind === 'phrase' && !isKnown && closeness < closeMin) return undefined;
  const rarity = Math.min(Math.log(1 + context.texts / (1 + texts)), rarityMax) ** 0.4;
  const length = words === 1 ? 0.8 : words === 2 ? 1.15 : 1;
  return (
    (0.4 + closeness) *
    (1 + Math.log(count)) *
    length *
    (kind === 'phrase' ? 1 : 1.15) *
    rarity *
    (isKnown ? 1.25 : 1)
  );
}

/** By their phrase in lower case. */
function candidatesOf(
  { sentences, isEnglish }: AnalysedText,
  entities: readonly EntityMention[],
): Map<string, Candidate> {
  const candidates = new Map<string, Candidate>();
  const people = new Set(
    entities.filter(({ type }) => type === 'PERSON').map(({ text }) => text.toLowerCase()),
  );
  const add = (phrase: string, name: string, kind: Kind) => {
    if (phrase.length < lengthMin || /^\d/.test(phrase) || people.has(phrase)) return;
    const known = candidates.get(phrase);
    if (known) known.count++;
    else candidates.set(phrase, { name, kind, words: phrase.split(' ').length, count: 1 });
  };
  let passed = 0;
  for (const sentence of isEnglish ? sentences : []) {
    const { tokens } = sentence;
    while (passed < entities.length && entities[passed].end <= tokens[0].start) passed++;
    const entityAt = entitiesByToken(sentence, entities, passed);
    for (const { from, to, phrase, hasProperNoun } of nounChunksOf(sentence))
      if (!isWithinEntity(sentence, from, to, entityAt))
        add(phrase, phrase, hasProperNoun ? 'name' : 'phrase');
  }
  for (const { text, type } of entities)
    if (topicTypes.includes(type)) add(text.toLowerCase(), text, 'entity');
  return candidates;
}

/** Of each token the entity that it belongs to; entities are in order, so one pass finds them. */
function entitiesByToken(
  { tokens }: AnalysedSentence,
  entities: readonly EntityMention[],
  first: number,
): (EntityMention | undefined)[] {
  let next = first;
  return tokens.map(({ start }) => {
    while (next < entities.length && entities[next].end <= start) next++;
    const entity = entities[next];
    return entity && entity.start <= start ? entity : undefined;
  });
}

/** Whether a chunk is no more than an entity, which is a topic by itself, or has a person in it. */
function isWithinEntity(
  { tokens }: AnalysedSentence,
  from: number,
  to: number,
  entityAt: readonly (EntityMention | undefined)[],
): boolean {
  const inside = entityAt.slice(from, to).filter((entity) => entity !== undefined);
  if (!inside.some(({ type }) => wholeTypes.includes(type))) return false;
  const [first] = inside;
  return first.type === 'PERSON' || (first.start <= tokens[from].start && first.end >= tokens[to - 1].end);
}
