import { createHash } from 'node:crypto';
import type { DerivedEntity, DerivedFact } from '../domain/derivation/derived.ts';
import { factLengthMax } from '../domain/facts/fact.ts';
import type { ExtractedFact, SourceSpan } from '../language/facts/fact.ts';
import { nameKey } from '../lib/names.ts';
import { createDocumentIndexer } from '../search-index/document-indexer.ts';

const spaces = /\s+/g;
const flat = (text: string) => text.replace(spaces, ' ').trim();
const lengthMax = 60;
const indexer = createDocumentIndexer();

/** The facts of a text, each once, in order; of the same fact said twice the surer. */
export function factsOfText(
  facts: readonly ExtractedFact[],
  entities: readonly DerivedEntity[],
): DerivedFact[] {
  const byKey = new Map<string, DerivedFact>();
  for (const fact of facts) {
    const derived = toDerived(fact, entities);
    const isStorable =
      derived.predicate !== '' &&
      (['subject', 'predicate', 'object'] as const).every(
        (part) => derived[part].length <= factLengthMax[part],
      );
    const known = byKey.get(derived.key);
    if (isStorable && (!known || known.confidence < derived.confidence)) byKey.set(derived.key, derived);
  }
  return [...byKey.values()];
}

function toDerived(fact: ExtractedFact, entities: readonly DerivedEntity[]): DerivedFact {
  const { subject, object, verb, isSelf, speaker, times } = fact;
  // Where the subject is the speaker's prefix, the clause begins at its verb.
  const spans = isSelf && speaker !== undefined ? [verb, object] : [subject, verb, object];
  return {
    subject: flat(subject.text),
    predicate: flat(fact.predicate),
    object: flat(object.text),
    terms: indexer.fact({
      subject: flat(subject.text),
      predicate: flat(fact.predicate),
      object: flat(object.text),
    }).terms,
    key: keyOf(fact),
    isNegated: fact.isNegated,
    basis: fact.basis,
    confidence: fact.confidence,
    start: Math.min(...spans.map(({ start }) => start)),
    end: Math.max(...spans.map(({ end }) => end)),
    speaker: speaker === undefined ? null : flat(speaker).slice(0, lengthMax),
    time: times.length === 0 ? null : flat(times[0].text).slice(0, lengthMax),
    entities: [...within(subject, entities, 'subject'), ...within(object, entities, 'object')],
  };
}

function within(
  { start, end, text }: SourceSpan,
  entities: readonly DerivedEntity[],
  role: 'subject' | 'object',
): { index: number; role: 'subject' | 'object' }[] {
  const folded = ` ${nameKey(text)} `;
  return entities.flatMap((entity, index) => {
    const isInside = entity.mentions > 0 && entity.start >= start && entity.end <= end;
    // An entity has the place of its first mention only; a later one is known by its words.
    const isNamed = entity.mentions > 1 && folded.includes(` ${entity.key} `);
    return isInside || isNamed ? [{ index, role }] : [];
  });
}

/** Equal for the same statement in other words of the same verb: `uses`, `is using`. A hash, so that no text is in it. */
function keyOf({ subject, predicate, verb, head, object, isNegated }: ExtractedFact): string {
  const last = flat(predicate).split(' ').at(-1) ?? '';
  const preposition = last === verb.text ? '' : last.toLowerCase();
  const parts = [nameKey(subject.text), head, preposition, nameKey(object.text), isNegated ? 'not' : ''];
  return createHash('sha256').update(parts.join('\0')).digest('base64url');
}
