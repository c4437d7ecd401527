import { type AnalysedText, analyse } from './analysed-text.ts';
import { type EntityMention, isSupportedMention } from './entities/entity.ts';
import { findEntities } from './entities/find-entities.ts';
import type { KnownNames } from './entities/known-names.ts';
import type { ExtractedFact } from './facts/fact.ts';
import { findFacts } from './facts/find-facts.ts';
import type { LanguageModel } from './language-model.ts';
import { isProse } from './text/prose.ts';
import { type TopicCandidate, topicCandidatesOf } from './topics.ts';

/** Everything derived from one text alone. Plain data that can be sent between threads. */
export interface DerivedText {
  /** If false, the text has no facts, and only those names that a form, a list or a cue shows. */
  readonly isEnglish: boolean;
  /** In order of their position, without concepts of the recogniser (titles, nationalities) and names of uncertain type. */
  readonly entities: readonly EntityMention[];
  /** Those of prose that are useful by themselves. */
  readonly facts: readonly ExtractedFact[];
  /** Input of `rankTopics`, which weighs them by the user's other texts. */
  readonly topics: readonly TopicCandidate[];
}

/** A text with its names and statements, as it is read without the names that its user knows. */
export interface ReadText {
  readonly analysed: AnalysedText;
  readonly entities: readonly EntityMention[];
  readonly facts: readonly ExtractedFact[];
}

export function readText(model: LanguageModel, text: string): ReadText {
  const analysed = analyse(model, text);
  const entities = findEntities(model, analysed);
  return { analysed, entities, facts: findFacts(model, analysed, entities) };
}

/**
 * Deterministic. Takes about 1.5 ms of processor time for a chat message and less than a second for any text;
 * reads only the first 20,000 characters.
 * @param known the user's names whose type is certain
 * @param read the same text, if it was read before: the result is the same, in less time
 */
export function deriveText(
  model: LanguageModel,
  text: string,
  known?: KnownNames,
  read?: ReadText,
): DerivedText {
  const analysed = read?.analysed ?? analyse(model, text);
  const entities = findEntities(model, analysed, known);
  const facts = () =>
    read && haveEqualSpans(read.entities, entities) ? read.facts : findFacts(model, analysed, entities);
  return {
    isEnglish: analysed.isEnglish,
    entities: entities.filter(isShown),
    facts: isProse(analysed) ? facts().filter((fact) => fact.isUseful) : [],
    topics: topicCandidatesOf(model, analysed, entities),
  };
}

/** Then they have equal facts: a name is one word to the parser, of whatever type. */
const haveEqualSpans = (a: readonly EntityMention[], b: readonly EntityMention[]) =>
  a.length === b.length && a.every(({ start, end }, i) => start === b[i].start && end === b[i].end);

/** Unsupported names and the recogniser's concepts help to parse a sentence; half of them are none to a reader. */
const isShown = (mention: EntityMention) =>
  isSupportedMention(mention) && (mention.type !== 'CONCEPT' || mention.source !== 'recogniser');
