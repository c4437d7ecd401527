import { analyse } from './analysed-text.ts';
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

/**
 * Deterministic. Takes about 1.5 ms of processor time for a chat message and less than a second for any text;
 * reads only the first 20,000 characters.
 * @param known the user's names whose type is certain
 */
export function deriveText(model: LanguageModel, text: string, known?: KnownNames): DerivedText {
  const analysed = analyse(model, text);
  const entities = findEntities(model, analysed, known);
  return {
    isEnglish: analysed.isEnglish,
    entities: entities.filter(isShown),
    facts: isProse(analysed) ? findFacts(model, analysed, entities).filter((fact) => fact.isUseful) : [],
    topics: topicCandidatesOf(model, analysed, entities),
  };
}

/** Unsupported names and the recogniser's concepts help to parse a sentence; half of them are none to a reader. */
const isShown = (mention: EntityMention) =>
  isSupportedMention(mention) && (mention.type !== 'CONCEPT' || mention.source !== 'recogniser');
