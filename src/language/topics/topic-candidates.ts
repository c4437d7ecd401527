import type { AnalysedSentence, AnalysedText } from '../analysed-text.ts';
import type { EntityMention, EntityType } from '../entities/entity.ts';
import { nounChunksOf } from './noun-chunks.ts';

/** A phrase that may be a topic of its text. */
export interface TopicCandidate {
  /** In lower case; unique in a text. */
  readonly phrase: string;
  /** An entity as written, or the phrase. */
  readonly name: string;
  /** `name`: a phrase with a proper noun. */
  readonly kind: 'phrase' | 'name' | 'entity';
  readonly words: number;
  /** Number of occurrences in the text. */
  readonly count: number;
}

const topicTypes: readonly EntityType[] = ['TECHNOLOGY', 'PROJECT', 'ORGANIZATION', 'LOCATION'];
const wholeTypes: readonly EntityType[] = [...topicTypes, 'PERSON'];
/** Length of a phrase in UTF-16 units; the maximum is that of topic names in the API. */
const [lengthMin, lengthMax] = [3, 100];
/** Candidates of a text; the first ones, because long texts have their topics at the beginning. */
const candidatesMax = 60;

/**
 * Noun phrases and entities of a text, at most 60; only entities if the text is not English.
 * @param entities of the text, in order
 */
export function topicCandidatesOf(
  { sentences, isEnglish }: AnalysedText,
  entities: readonly EntityMention[],
): TopicCandidate[] {
  const counts = new Map<string, TopicCandidate>();
  const people = new Set(
    entities.filter(({ type }) => type === 'PERSON').map(({ text }) => text.toLowerCase()),
  );
  const add = (phrase: string, name: string, kind: TopicCandidate['kind']) => {
    if (phrase.length < lengthMin || phrase.length > lengthMax || /^\d/.test(phrase) || people.has(phrase))
      return;
    const { count, ...candidate } = counts.get(phrase) ?? {
      phrase,
      name,
      kind,
      words: phrase.split(' ').length,
      count: 0,
    };
    counts.set(phrase, { ...candidate, count: count + 1 });
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
  return [...counts.values()].slice(0, candidatesMax);
}

/** The entity of each token. Entities are in order, so one pass finds them. */
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

/** Whether a chunk lies within an entity, which is a candidate by itself, or begins with a person. */
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
