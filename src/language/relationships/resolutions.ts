import type { SourceSpan } from '../facts/fact.ts';
import { lemmaOf } from '../facts/lemma.ts';
import type { Lexicon } from '../models/word-lists.ts';
import { isTopical, toContent } from './content-words.ts';
import { fix, problem, unfinishedFix } from './cues.ts';
import type { RelationshipFinding } from './finding.ts';
import { evidenceOf, speakersDiffer, type TextView } from './text-view.ts';

/** Words common to all problems and repairs. */
const common =
  /^(fail|bug|error|fix|fixed|resolve|cause|problem|issue|slow|work|question|decision|open|cannot)$/;
const cosineMin = 0.45;
const singleCosineMin = 0.5;
const sharedMin = 2;
const shortMax = 3;
const versionSign = /-|\./;
const undecided = /\b(open|question|undecided|whether|to decide|not decided)\b/i;

/** Whether the later text reports a fix and the earlier one a problem. */
export function isFixOfProblem(earlier: TextView, later: TextView): boolean {
  const cue = fix.exec(later.body)?.[0];
  if (cue === undefined || fix.test(earlier.body) || !problem.test(earlier.body)) return false;
  if (/^deci/i.test(cue) && !undecided.test(earlier.text)) return false;
  // `findNegation` handles `no longer` and `no more`.
  return !/^n/i.test(cue);
}

/** Whether the fix is only tried, or the earlier text asks another person. */
export const isFixUnsure = (earlier: TextView, later: TextView) =>
  unfinishedFix.test(later.body) ||
  later.isQuestion ||
  (earlier.speaker !== undefined && later.speaker !== undefined && earlier.isQuestion);

/** Finds a problem and its fix that share topical words. */
export function findResolution(
  lexicon: Lexicon,
  earlier: TextView,
  later: TextView,
  cosine: number,
): RelationshipFinding | undefined {
  if (cosine < cosineMin || versionsDiffer(earlier.numbers, later.numbers)) return undefined;
  const about = [...earlier.contentSet].filter((stem) => !common.test(stem));
  const shared = about.filter(
    (stem) => later.contentSet.has(stem) && (isTopical(lexicon, stem) || isOfName(earlier, stem)),
  );
  const isShort = shared.length === 1 && cosine >= singleCosineMin && about.length <= shortMax;
  if (shared.length < sharedMin && !isShort) return undefined;
  return {
    type: 'RESOLVES',
    confidence: Math.min(1, 0.8 + 0.1 * (shared.length - 1)),
    reason: `A problem and its fix: both are about ${shared.join(', ')}.`,
    evidence: { earlier: evidenceOf(earlier, problem), later: evidenceOf(later, fix) },
  };
}

const isOfName = ({ entities }: TextView, stem: string) =>
  entities.some(({ type, text }) => type !== 'PERSON' && text.toLowerCase().includes(stem));

/** Whether the texts name tickets or versions of the same form with different numbers. */
function versionsDiffer(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const formOf = (number: string) => number.replace(/\d+/g, '');
  const forms = new Set([...b].map(formOf));
  return [...a].some((number) => versionSign.test(number) && !b.has(number) && forms.has(formOf(number)));
}

/** Whether each text has a number that the other lacks. */
const numbersDiffer = (a: ReadonlySet<string>, b: ReadonlySet<string>) =>
  [...a].some((number) => !b.has(number)) && [...b].some((number) => !a.has(number));

/** A likely problem and its fix, for a person to confirm. */
export function likelyResolution(
  lexicon: Lexicon,
  earlier: TextView,
  later: TextView,
  cosine: number,
): RelationshipFinding | undefined {
  const shared = [...earlier.contentSet].filter(
    (stem) => later.contentSet.has(stem) && !common.test(stem) && isTopical(lexicon, stem),
  );
  if (shared.length === 0 || cosine < cosineMin || numbersDiffer(earlier.numbers, later.numbers))
    return undefined;
  return {
    type: 'RESOLVES',
    confidence: isFixUnsure(earlier, later) ? 0.4 : 0.6,
    reason: `Perhaps a problem and its fix: both have ${shared.join(', ')}.`,
    evidence: { earlier: evidenceOf(earlier, problem), later: evidenceOf(later, fix) },
  };
}

const doneWord = '(?:closed|fixed|done|merged|resolved|solved|finished|completed|shipped|deployed|released)';
const filled = '(?:(?:is|was|are|were|has been|have been|got|both|all|now|finally|already) ){0,3}';
const notDone = /\b(not|n['’]t|will|to be|should|must|still|almost|nearly|partly|half)\b|n['’]t\b/i;
const ticketStart = 60;

/** Finds `BIL-212 closed` or `Fixed BIL-212` if the earlier text begins with that ticket, or has a problem of it. */
export function findClosedTicket(earlier: TextView, later: TextView): RelationshipFinding | undefined {
  for (const [identifier, span] of later.identifiers) {
    const was = earlier.identifiers.get(identifier);
    if (!was || /[/\\]/.test(identifier)) continue;
    const isAbout = was.start - earlier.bodyStart < ticketStart || problem.test(earlier.body);
    if (!isAbout || doneAt(earlier, was.text)) continue;
    const done = doneAt(later, span.text);
    if (done)
      return {
        type: 'RESOLVES',
        confidence: 0.9,
        reason: `It says of ${span.text}: "${done.text}".`,
        evidence: { earlier: was, later: done },
      };
  }
  return undefined;
}

/** Span of the words that say that a ticket is done. */
function doneAt(view: TextView, ticket: string): SourceSpan | undefined {
  const name = ticket.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const pattern = new RegExp(
    `${name},?:? ${filled}${doneWord}\\b|\\b(?:${doneWord}|close[sd]?|fix(?:es)?|resolves?|merges?) (?:ticket |issue )?${name}(?!\\w)`,
    'i',
  );
  const found = pattern.exec(view.body);
  if (!found || notDone.test(sentenceAround(view.body, found.index))) return undefined;
  return evidenceOf(view, pattern);
}

const sentenceAround = (body: string, at: number) =>
  body.slice(body.lastIndexOf('. ', at) + 1).split(/[.;!?](?:\s|$)|, /)[0];

const open =
  /\b(?:to ?do|open(?: questions?| points?)?|action items?|measures?|next steps?)\b[^.:]{0,60}:|\b(?:still open|has to be|have to be|needs? to be|must be)\b/i;
const done =
  /\b(?:is|are|was|were|has been|have been) (?:both |all |now |finally |already )?(?:done|finished|completed|merged|published|shipped|deployed|closed|in place|live|ready)\b|, done\b|\bworks? again\b|\brepaired\b|\bfixed\b/i;

/** Unlike `open`, without `must be rotated`, which may be a rule. */
const task = /\b(?:to ?do|action items?|next steps?)\b[^.:]{0,60}:|\bstill open\b/i;
const several = /[,;]| and /;
const passive = /\b(?:was|were|has been|have been) (?:now |finally |already )?(?<verb>\w+)\b/i;

/** The pattern by which the later text says that a task or a problem is done: `is done`; for `TODO: rotate`, `was rotated`. */
function doneIn(earlier: TextView, later: TextView): RegExp | undefined {
  if (done.test(later.body)) return open.test(earlier.text) || problem.test(earlier.body) ? done : undefined;
  // If one of several tasks is done, the others are still open.
  if (!task.test(earlier.text) || several.test(earlier.body)) return undefined;
  const verb = passive.exec(later.body)?.groups?.verb.toLowerCase() ?? '';
  const base = lemmaOf(verb);
  return base !== verb && earlier.tokens.some(({ word }) => word.toLowerCase() === base)
    ? passive
    : undefined;
}

/** Finds that a task, measures or a thing that failed are done, if the later text names nothing else. */
export function findDone(
  lexicon: Lexicon,
  earlier: TextView,
  later: TextView,
): RelationshipFinding | undefined {
  const cue = doneIn(earlier, later);
  const found = cue?.exec(later.body);
  if (!cue || !found || done.test(earlier.body) || later.isHedged || later.isQuestion) return undefined;
  const clause = later.body.slice(0, found.index + found[0].length);
  if (notDone.test(clause) || unfinishedFix.test(later.body) || speakersDiffer(earlier, later))
    return undefined;
  const about = stemsInClause(later, found.index + later.bodyStart);
  const isSame = about.length > 0 && about.every((stem) => earlier.contentSet.has(stem));
  const isCertain = about.length > 1 || about.some((stem) => isTopical(lexicon, stem));
  if (!isSame || !isCertain) return undefined;
  return {
    type: 'RESOLVES',
    confidence: 0.85,
    reason: `It says that it is so no longer, or done: "${found[0].replace(/^, /, '')}".`,
    evidence: { earlier: evidenceOf(earlier), later: evidenceOf(later, cue) },
  };
}

/** Stems of nouns and names before a place in its sentence, without words common to all repairs. */
function stemsInClause({ sentences }: TextView, at: number): string[] {
  const sentence = sentences.find(({ tokens }) => (tokens.at(-1)?.end ?? 0) > at);
  if (!sentence) return [];
  return sentence.tokens.flatMap(({ word, start }, i) =>
    start < at && /^(NN|JJ|FW|CD)/.test(sentence.tags[i])
      ? toContent(word).filter((stem) => !common.test(stem) && !/^(both|all|fix|today|yesterday)$/.test(stem))
      : [],
  );
}
