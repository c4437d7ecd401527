import { createHash } from 'node:crypto';
import type { DerivedEntity, DerivedFact, FoundBy, KnownName } from '../domain/derivation/derived.ts';
import { factLengthMax } from '../domain/facts/fact.ts';
import { analyse } from '../language/analysed-text.ts';
import { certainEntity, type EntityMention } from '../language/entities/entity.ts';
import { findEntities } from '../language/entities/find-entities.ts';
import type { ExtractedFact, SourceSpan } from '../language/facts/fact.ts';
import type { LanguageModel } from '../language/language-model.ts';
import { groupBy } from '../lib/collections.ts';
import { nameKey } from '../lib/names.ts';
import { createDocumentIndexer } from '../search-index/document-indexer.ts';

/** Confidence of a name that the client gave with the memory. */
const givenConfidence = 0.9;
const proper = /[\p{Lu}\d_/-]/u;

const identity = ({ key, type }: { readonly key: string; readonly type: string }) => `${type} ${key}`;

/**
 * Whether a mention types its name for all texts of the user: it has a cue, such
 * as the prefix of a speaker or "Project X". Names recognised by form (paths,
 * endpoints, identifiers) or by the bundled lists are found in every text anyway.
 */
const isCue = ({ type, source, certainty }: EntityMention) =>
  source === 'pattern' && certainty >= certainEntity && (type === 'PERSON' || type === 'PROJECT');

/** The entities of a text, each name and type once, in order of first mention. */
export function entitiesOfText(mentions: readonly EntityMention[]): DerivedEntity[] {
  const keyed = mentions.map((mention) => ({ ...mention, key: nameKey(mention.text) }));
  return [...groupBy(keyed, identity).values()].map((same) => {
    const [{ text, type, key, start, end, source }] = same;
    return {
      name: text.replace(spaces, ' '),
      key,
      type,
      start,
      end,
      mentions: same.length,
      confidence: Math.max(...same.map(({ certainty }) => certainty)),
      foundBy: source,
      isCertain: same.some(isCue),
    };
  });
}

/**
 * Adds the names that the client gave, as certain: marks the text's entity of that name and type, or adds an
 * entity without a mention.
 */
export function withGivenNames(
  entities: readonly DerivedEntity[],
  given: readonly (KnownName & { readonly foundBy: FoundBy })[],
): DerivedEntity[] {
  const all = [...entities];
  for (const { name, type, foundBy } of given) {
    const key = nameKey(name);
    const i = all.findIndex((entity) => entity.key === key && entity.type === type);
    if (i >= 0) all[i] = { ...all[i], isCertain: true };
    else
      all.push({
        name,
        type,
        foundBy,
        key,
        start: 0,
        end: 0,
        mentions: 0,
        confidence: givenConfidence,
        isCertain: true,
      });
  }
  return all;
}

/** The entity whose whole name is this topic of a client; undefined if the topic is a phrase. */
export function nameOfTopic(model: LanguageModel, topic: string): KnownName | undefined {
  const text = topic.trim();
  if (!isNameLike(model, text)) return undefined;
  const whole = findEntities(model, analyse(model, text)).find(
    ({ start, end }) => start === 0 && end === text.length,
  );
  const isTyped = whole?.source === 'pattern' || whole?.source === 'list';
  return isTyped ? { name: text, type: whole.type } : undefined;
}

/** Whether a name may be looked for in every text: it is not a plain word in lower case. */
export function isNameLike({ lexicon }: LanguageModel, name: string): boolean {
  return name !== '' && (proper.test(name) || !lexicon.english.has(name.toLowerCase()));
}

const spaces = /\s+/g;
const flat = (text: string) => text.replace(spaces, ' ').trim();
const lengthMax = 60;
const indexer = createDocumentIndexer();

/** The facts of a text, in order, each key once: of equal facts the one with the highest confidence. */
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
  // If the subject is the speaker's prefix, the clause begins at its verb.
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
    // An entity has the position of its first mention only; later mentions are recognised by their words.
    const isNamed = entity.mentions > 1 && folded.includes(` ${entity.key} `);
    return isInside || isNamed ? [{ index, role }] : [];
  });
}

/**
 * Key of a statement, equal for all forms of its verb:
 * `uses`, `is using`. A hash, so that it contains no text.
 */
function keyOf({ subject, predicate, verb, head, object, isNegated }: ExtractedFact): string {
  const last = flat(predicate).split(' ').at(-1) ?? '';
  const preposition = last === verb.text ? '' : last.toLowerCase();
  const parts = [nameKey(subject.text), head, preposition, nameKey(object.text), isNegated ? 'not' : ''];
  return createHash('sha256').update(parts.join('\0')).digest('base64url');
}
