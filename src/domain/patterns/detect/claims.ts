import { claimIn, correctionIn, type StatedClaim } from './claim-forms.ts';
import { type Demand, demandIn, type Place } from './demands.ts';
import type { Claim, SourceMemory } from './found-pattern.ts';
import { wordsOf } from './words.ts';

const hedge =
  /\b(?:maybe|perhaps|possibly|probably|might|not sure|i think|i guess|sort of|kind of|sometimes|for now|would be)\b/iu;

/** The claims of a memory, at most one of a sentence. Demands of named speakers are to each other, not to the user. */
export function claimsIn({ content, role, ...source }: SourceMemory): Claim[] {
  const place = {
    isDocument: content.length > documentLength,
    isToOthers: role === 'assistant' || role === 'system' || isCommit.test(content),
  };
  return statedSentences(content).flatMap(({ owner, text }) => {
    const read = readSentence(text, owner, place);
    return read ? [toClaim({ content, role, ...source }, text, { ...read, owner: read.owner ?? owner })] : [];
  });
}

function readSentence(text: string, owner: string, place: Place): StatedClaim | undefined {
  const isOfUser = owner === 'user';
  const correction = isOfUser && !place.isToOthers ? correctionIn(text) : undefined;
  if (correction) return correction;
  const demand = isOfUser ? demandIn(text, place) : undefined;
  if (demand) return ofDemand(text, demand);
  return demand === null || place.isToOthers ? undefined : claimIn(text);
}

function ofDemand(text: string, { type, target, isNegated }: Demand): StatedClaim | undefined {
  const bare = target.replace(/[.!"”'’)\s]+$/u, '');
  if (wordsOf(bare).size === 0) return undefined;
  const against = /\b(?:instead of|rather than|over)\s+([^,;.]{2,60})/iu.exec(bare)?.[1];
  const name = text.replace(/^["“'‘\s]+|[.!"”'’\s]+$/gu, '');
  return { type, target: bare, against, isNegated, name: `${name[0]?.toUpperCase()}${name.slice(1)}` };
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
/** With spaces and quotes around it; the forms are not tried on longer ones, whatever they are made of. */
const rawMax = 2 * lengthMax;

/** A longer text is a document: in it only strict words make a rule. */
const documentLength = 1500;
const isCommit =
  /^(?:feat|fix|chore|docs|test|refactor|perf|build|ci|style|revert)(?:\([^)\n]{0,100}\))?!?: |^Merge (?:branch|pull request)|\(#\d+\)\s*$|^(?:Signed-off-by|Co-authored-by):/mu;

const speaker = /^\s*([\p{Lu}][\p{L}\d'’.-]{0,30}(?: [\p{Lu}][\p{L}\d'’.-]{0,30}){0,2}):\s+/u;
const bullet = /^\s*(?:[-*•]|\d{1,3}[.)])\s+/u;
/** Speakers that are machines: their sentences are not claims of the user. */
const machine = /^(?:assistant|agent|ai|bot|system|chatgpt|claude|copilot|model)$/iu;
/** Words before a colon that name no speaker. */
const noName =
  /^(?:(?:user|me|human|i|we)$|(?:note|todo|idea|memo|remind|reminder|book|bug|fix|rule|cause|update|decision|correction|convention|preference|guideline|policy|style|feedback|instruction|important|warning|tip|lesson|workflow|process|standard|team|project|house|general|standing|coding|new|always|never|don['’]t|do)\b)/iu;

const bareLabel = /^(?:user|me|human|i|we|note|todo|idea|memo|reminder|important|warning|tip)$/iu;

/**
 * Statements of a memory with their speakers, without questions and without sentences of
 * machines: from its first 20,000 characters, the first 200 sentences of up to 300 characters.
 */
function statedSentences(content: string): Sentence[] {
  const found: Sentence[] = [];
  let owner = 'user';
  for (const line of content.slice(0, readMax).split('\n')) {
    const said = speaker.exec(line);
    const isName = said !== null && !noName.test(said[1]);
    if (said) owner = isName ? said[1] : 'user';
    // "User:" and "Note:" add nothing to the sentence; "Rule:" is part of it.
    const isSpeaker = isName || (said !== null && bareLabel.test(said[1]));
    if (!machine.test(owner)) found.push(...statedIn(isSpeaker ? line.slice(said[0].length) : line, owner));
    if (found.length >= sentencesMax) break;
  }
  return found.slice(0, sentencesMax);
}

/** Lines of a program; code between backticks may be part of a sentence. */
const isCode = (text: string) => /[{}]|\w\([^)]*[)=]|=>|[=!]=|;$/u.test(text.replace(/`[^`]*`/gu, ''));

const quotes = /^["“‘]|["”’](?=[.!]?$)(?<=^["“‘].*)/gu;
/** The full stop of an abbreviation ends no sentence. */
const sentenceEnd = /(?<=[.!?])(?<!\b(?:Mr|Mrs|Ms|Dr|St|vs|e\.g|i\.e|etc|cf|approx)\.)\s+/u;

const statedIn = (line: string, owner: string): Sentence[] =>
  line
    .replace(bullet, '')
    .split(sentenceEnd)
    .filter((text) => text.length <= rawMax)
    .map((text) => text.replace(/\s+/gu, ' ').replace(quotes, '').trim())
    .filter((text) => text !== '' && text.length <= lengthMax && !text.endsWith('?') && !isCode(text))
    .map((text) => ({ owner, text }));
