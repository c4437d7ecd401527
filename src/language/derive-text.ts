import { analyse } from './analysed-text.ts';
import type { EntityMention } from './entities/entity.ts';
import { findEntities } from './entities/find-entities.ts';
import type { KnownNames } from './entities/known-names.ts';
import type { ExtractedFact } from './facts/fact.ts';
import { findFacts } from './facts/find-facts.ts';
import type { LanguageModel } from './language-model.ts';
import { type TopicCandidate, topicCandidatesOf } from './topics/topic-candidates.ts';

/** All that is derived from one text without looking at others. Plain data, which may be sent between threads. */
export interface DerivedText {
  /** Only texts in English have facts and names that neither a form nor a list shows. */
  readonly isEnglish: boolean;
  /** In order. */
  readonly entities: readonly EntityMention[];
  readonly facts: readonly ExtractedFact[];
  /** For `rankTopics`, which weighs them by the user's other texts. */
  readonly topics: readonly TopicCandidate[];
}

/**
 * Deterministic; about 1.5 ms of processor time for a turn of a chat, and less than a second for any text, of which only the
 * first 20,000 characters are read.
 * @param known names of the user that texts are certain about
 */
export function deriveText(model: LanguageModel, text: string, known?: KnownNames): DerivedText {
  const analysed = analyse(model, text);
  const entities = findEntities(model, analysed, known);
  return {
    isEnglish: analysed.isEnglish,
    entities,
    facts: findFacts(model, analysed, entities),
    topics: topicCandidatesOf(analysed, entities),
  };
}
