import type { DerivedText } from '../language/derive-text.ts';
import { overlap } from './check/quotes.ts';
import type { ProposedText } from './proposer.ts';

/** What an LLM adds to what the rules found in the same text: where both speak of the same words, the rules stand. */
export function addedBy({ entities, facts }: ProposedText, offline: DerivedText): ProposedText {
  return {
    entities: entities.filter((entity) => offline.entities.every((known) => !overlap(known, entity))),
    facts: facts.filter((fact) =>
      offline.facts.every((known) => !overlap(known.verb, fact.verb) || !overlap(known.object, fact.object)),
    ),
  };
}
