import type { Derived, DerivedEntity, DerivedFact, Proposals } from '../domain/derivation/derived.ts';
import type { ExtractedFact, SourceSpan } from '../language/facts/fact.ts';
import { lemmaOf } from '../language/facts/lemma.ts';
import { speakerOf } from '../language/text/speaker.ts';
import { nameKey } from '../lib/names.ts';
import type { ProposedEntity } from '../llm/check/check-entities.ts';
import type { ProposedFact } from '../llm/check/check-facts.ts';
import { overlap, type Span } from '../llm/check/quotes.ts';
import type { ProposedText } from '../llm/proposer.ts';
import { factsOfText } from './facts-of-text.ts';

const spaces = /\s+/g;

/** What an LLM adds to what the rules found in a text: where both speak of the same words, the rules stand. */
export function proposalsOf(text: string, proposed: ProposedText, derived: Derived): Proposals {
  const entities = newEntities(text, proposed.entities, derived.entities);
  const all = [...entities, ...derived.entities];
  // Polarity is checked by English words.
  const said = derived.isEnglish ? proposed.facts : [];
  const facts = factsOfText(
    said.map((fact) => toExtracted(text, fact)),
    all,
  )
    .map((fact): DerivedFact => ({ ...fact, basis: 'inferred' }))
    .filter((fact) => !derived.facts.some((known) => isSame(known, fact)));
  return { entities, facts, derivedEntities: derived.entities };
}

function newEntities(
  text: string,
  proposed: readonly ProposedEntity[],
  known: readonly DerivedEntity[],
): DerivedEntity[] {
  const byName = new Map<string, DerivedEntity>();
  for (const { start, end, type, confidence } of proposed) {
    const name = text.slice(start, end).replace(spaces, ' ');
    const key = nameKey(name);
    const isKnown = known.some((entity) => entity.key === key || overlap(entity, { start, end }));
    if (isKnown || byName.has(key)) continue;
    byName.set(key, {
      name,
      key,
      type,
      start,
      end,
      mentions: 1,
      confidence,
      foundBy: 'llm',
      isCertain: false,
    });
  }
  return [...byName.values()];
}

/** In the form of the rules' facts, so that both get the same key for the same statement. */
function toExtracted(text: string, fact: ProposedFact): ExtractedFact {
  const at = ({ start, end }: Span): SourceSpan => ({ text: text.slice(start, end), start, end });
  const verb = at(fact.verb);
  return {
    subject: at(fact.subject),
    isSelf: fact.isSelf,
    predicate: fact.predicate,
    verb,
    head: lemmaOf(verb.text.toLowerCase()),
    object: at(fact.object),
    isState: false,
    isNegated: fact.isNegated,
    basis: 'direct',
    speaker: speakerOf(text)?.name,
    times: [],
    margin: 0,
    confidence: fact.confidence,
  };
}

function isSame(known: DerivedFact, fact: DerivedFact): boolean {
  if (known.key === fact.key) return true;
  const [a, b] = [nameKey(known.object), nameKey(fact.object)];
  return overlap(known, fact) && (a.includes(b) || b.includes(a));
}
