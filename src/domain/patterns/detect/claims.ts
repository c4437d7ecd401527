import type { Role } from '../../memories/memory.ts';
import type { PatternType } from '../pattern.ts';
import { claimForms, partOfWhatWasSaid, type StatedClaim, targetIn, wordsOf } from './claim-forms.ts';
import type { Claim, SourceFact, SourceMemory } from './found-pattern.ts';

const hedge =
  /\b(?:maybe|perhaps|possibly|probably|might|not sure|i think|i guess|sort of|kind of|sometimes|for now|would be)\b/iu;

/** The claims of a memory: of its sentences, then of its facts that no sentence claims already. */
export function claimsIn(source: SourceMemory): Claim[] {
  const claims: Claim[] = [];
  for (const { owner, text } of statedSentences(source.content, source.role)) {
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

/** "Landladies prefer ..." is about a kind of people; a name would have "prefers". */
const isOfAKind = (subject: string, predicate: string) =>
  /^\p{L}+[^s'’]s$/u.test(subject) && /^(?:prefer|like|love|enjoy|hate|dislike|use)$/iu.test(predicate);

/** The claim of a derived fact; undefined if its predicate is not in `factTypes`. */
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

function toClaim(
  source: SourceMemory,
  sentence: string,
  read: StatedClaim & { readonly owner: string },
): Claim {
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

interface Sentence {
  /** A name, or `user`. */
  readonly owner: string;
  readonly text: string;
}

const readMax = 20_000;
const sentencesMax = 200;
const lengthMax = 300;

const speaker = /^\s*([\p{Lu}][\p{L}'’.-]{0,30}(?: [\p{Lu}][\p{L}'’.-]{0,30})?):\s+/u;
const bullet = /^\s*(?:[-*•]|\d{1,3}[.)])\s+/u;
/** Speakers that are machines: their sentences are not claims of the user. */
const machine = /^(?:assistant|agent|ai|bot|system|chatgpt|claude|copilot|model)$/iu;
/** Words before a colon that name no speaker. */
const noName = /^(?:note|todo|idea|memo|remind|reminder|user|me|human|book|bug|fix|rule|cause|update)$/iu;

/**
 * Statements of a memory with their speakers, without questions and without sentences of
 * machines: from its first 20,000 characters, the first 200 sentences of up to 300 characters.
 */
function statedSentences(content: string, role: Role | null): Sentence[] {
  if (role === 'assistant' || role === 'system') return [];
  const found: Sentence[] = [];
  let owner = 'user';
  for (const line of content.slice(0, readMax).split('\n')) {
    const said = speaker.exec(line);
    if (said) owner = noName.test(said[1]) ? 'user' : said[1];
    if (!machine.test(owner)) found.push(...statedIn(said ? line.slice(said[0].length) : line, owner));
    if (found.length >= sentencesMax) break;
  }
  return found.slice(0, sentencesMax);
}

const statedIn = (line: string, owner: string): Sentence[] =>
  line
    .replace(bullet, '')
    .split(/(?<=[.!?])\s+/u)
    .map((text) => text.trim())
    .filter((text) => text !== '' && text.length <= lengthMax && !text.endsWith('?'))
    .map((text) => ({ owner, text }));
