import type { DerivedEntity, FoundBy, KnownName } from '../domain/derivation/derived.ts';
import { analyse } from '../language/analysed-text.ts';
import { certainEntity, type EntityMention } from '../language/entities/entity.ts';
import { findEntities } from '../language/entities/find-entities.ts';
import type { LanguageModel } from '../language/language-model.ts';
import { groupBy } from '../lib/collections.ts';
import { nameKey } from '../lib/names.ts';

/** Of a name that the client gave with the memory. */
const givenConfidence = 0.9;
const spaces = /\s+/g;
const proper = /[\p{Lu}\d_/-]/u;

const identity = ({ key, type }: { readonly key: string; readonly type: string }) => `${type} ${key}`;

/**
 * Whether a mention types its name for all texts of the user: found by a cue, such as who speaks or "Project X". Names with
 * a form of their own (paths, endpoints, identifiers) and those of our lists are found in every text anyway.
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

/** Adds what the client named, as certain: an entity of the text that has the name, else one that the text does not mention. */
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

/** The entity that a client's topic is the whole name of; undefined for a phrase. */
export function nameOfTopic(model: LanguageModel, topic: string): KnownName | undefined {
  const text = topic.trim();
  if (!isNameLike(model, text)) return undefined;
  const whole = findEntities(model, analyse(model, text)).find(
    ({ start, end }) => start === 0 && end === text.length,
  );
  const isTyped = whole?.source === 'pattern' || whole?.source === 'list';
  return isTyped ? { name: text, type: whole.type } : undefined;
}

/** Whether a name may be looked for in every text: no plain word in lower case. */
export function isNameLike({ lexicon }: LanguageModel, name: string): boolean {
  return name !== '' && (proper.test(name) || !lexicon.english.has(name.toLowerCase()));
}
