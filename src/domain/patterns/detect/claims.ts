import type { PatternType } from '../pattern.ts';
import { claimForms, type StatedClaim } from './claim-forms.ts';
import { sentencesOf } from './sentences.ts';
import type { Claim, Source, SourceFact } from './source.ts';
import { partOfWhatWasSaid, targetIn, wordsOf } from './words.ts';

const hedge =
  /\b(?:maybe|perhaps|possibly|probably|might|not sure|i think|i guess|sort of|kind of|sometimes|for now|would be)\b/iu;

/** Of memories written before a past one was replaced, nothing is left to say. */
export function claimsOf(source: Source): Claim[] {
  const claims: Claim[] = [];
  for (const { owner, text } of sentencesOf(source.content, source.role)) {
    const read = firstReading(text);
    if (read) claims.push(toClaim(source, text, { ...read, owner: read.owner ?? owner }));
  }
  const said = new Set(claims.map(({ type, target }) => `${type} ${target.toLowerCase()}`));
  for (const fact of source.facts) {
    const read = readFact(fact);
    if (!read || said.has(`${read.type} ${read.target.toLowerCase()}`)) continue;
    const sentence = `${fact.subject} ${fact.predicate} ${fact.object}`;
    claims.push(toClaim(source, sentence, read));
  }
  return claims;
}

function firstReading(text: string): StatedClaim | undefined {
  for (const form of claimForms) {
    const read = form(text);
    if (read) return read;
  }
  return undefined;
}

const factTypes: readonly (readonly [RegExp, PatternType, string, boolean])[] = [
  [/^prefers?$/iu, 'preference', 'Prefers', false],
  [/^(?:likes?|loves?|enjoys?)$/iu, 'preference', 'Likes', false],
  [/^(?:hates?|dislikes?|can(?:not|'t) stand)$/iu, 'preference', 'Dislikes', true],
  [/^(?:uses?|runs? on|is built with|is written in)$/iu, 'tool', 'Uses', false],
];

/** Objects that name nothing by themselves ("this man"), and times ("runs on the 2nd"). */
const noTarget = /^(?:(?:this|that|these|those)\b|(?:the\s+)?\d)/iu;

/** "Landladies prefer ...": said of many who are not known, where a name or "Ida" would have "prefers". */
const isOfAKind = (subject: string, predicate: string) =>
  /^\p{L}+[^s'’]s$/u.test(subject) && /^(?:prefer|like|love|enjoy|hate|dislike|use)$/iu.test(predicate);

/** What a derived fact claims, where it is of a kind that recurs. */
function readFact({
  subject,
  predicate,
  object,
  isNegated,
}: SourceFact): (StatedClaim & { owner: string }) | undefined {
  const known = factTypes.find(([verb]) => verb.test(predicate));
  const target = targetIn(object);
  if (!known || target === undefined || isNegated || noTarget.test(object)) return undefined;
  if (isOfAKind(subject, predicate) || partOfWhatWasSaid.test(object)) return undefined;
  const [, type, word, isDenied] = known;
  const owner = /^(?:i|we|user|the user|me)$/iu.test(subject) ? 'user' : subject;
  return { type, owner, target, isNegated: isDenied, name: `${word} ${target}` };
}

function toClaim(source: Source, sentence: string, read: StatedClaim & { readonly owner: string }): Claim {
  return {
    type: read.type,
    owner: read.owner,
    target: read.target,
    against: read.against ?? null,
    isNegated: read.isNegated,
    source,
    sentence,
    name: read.name,
    isHedged: hedge.test(sentence),
    words: wordsOf(read.target),
  };
}
