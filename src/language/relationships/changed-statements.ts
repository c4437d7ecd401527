import { jaccard } from '../../lib/collections.ts';
import type { SourceSpan } from '../facts/fact.ts';
import type { Token } from '../text/tokens.ts';
import { canonicalOf, stemOf, stopWords, toContent } from './content-words.ts';
import { noLonger, nowCue } from './cues.ts';
import type { RelationshipFinding } from './finding.ts';
import { evidenceOf, speakersDiffer, stemsOf, type TextView } from './text-view.ts';
import { areApart } from './value-changes.ts';

const punctuation = /^[.,!;:]$/;
const filler = /^(now|new|currently|actually|the|a|an|still)$/;
/** Words before a value that may change. */
const beforeValue =
  /\b(is|are|is at|is in|is on|defaults to|set to|due on|due by|takes|lasts|needs|expires after|expires on|closes at|opens at|starts at|costs|lives in|works at|runs on|run on|prefers|called)$/;
/** Words that limit a value: a value with another limit is a different value, not a newer one. */
const respect = /^(with|without|for|per|excluding|including|before|after)$/;
const past = /\b(was|were|in \d{4})\b/;
const nowWords = /\b(now|new|from now on|since)\b/i;
const prefixMin = 2;
const sharedMin = 3;
const [earlierMax, laterMax] = [4, 6];

/** Difference of two sentences: one run of words between a common beginning and a common end. */
export interface ChangedSlot {
  readonly before: number;
  readonly after: number;
  readonly shared: readonly string[];
  readonly earlier: readonly Token[];
  readonly later: readonly Token[];
}

const plain = (view: TextView) =>
  view.tokens.filter(({ word }) => !punctuation.test(word) && !filler.test(word.toLowerCase()));

export function changedSlot(earlier: TextView, later: TextView): ChangedSlot {
  const [a, b] = [plain(earlier), plain(later)];
  const [x, y] = [a, b].map((tokens) => tokens.map(({ word }) => canonicalOf(word.toLowerCase())));
  const short = Math.min(x.length, y.length);
  let before = 0;
  while (before < short && x[before] === y[before]) before++;
  let after = 0;
  while (after < short - before && x[x.length - 1 - after] === y[y.length - 1 - after]) after++;
  return {
    before,
    after,
    shared: x.slice(0, before),
    earlier: a.slice(before, a.length - after),
    later: b.slice(before, b.length - after),
  };
}

/** Whether the sentences differ by exactly one content word. */
export function isWordSwapped({ before, after, earlier, later }: ChangedSlot): boolean {
  if (earlier.length !== 1 || later.length !== 1 || before + after === 0) return false;
  const [x, y] = [earlier[0].word.toLowerCase(), later[0].word.toLowerCase()];
  return !stopWords.has(x) && !stopWords.has(y) && stemOf(x) !== stemOf(y);
}

/** Finds the same sentence with another value after `is`, `defaults to`, `lives in` and similar words. */
export function findChangedValue(earlier: TextView, later: TextView): RelationshipFinding | undefined {
  if (speakersDiffer(earlier, later) || earlier.isNegated !== later.isNegated) return undefined;
  const slot = changedSlot(earlier, later);
  const [was, is] = [slot.earlier, slot.later];
  if (was.length === 0 || is.length === 0 || was.length > earlierMax || is.length > laterMax)
    return undefined;
  if (slot.before < prefixMin || slot.before + slot.after < sharedMin) return undefined;
  if (!beforeValue.test(slot.shared.slice(-3).join(' ')) || past.test(slot.shared.join(' ')))
    return undefined;
  if ([...was, ...is].some(({ word }) => respect.test(word.toLowerCase()))) return undefined;
  const hasDigit = (tokens: readonly Token[]) => tokens.some(({ word }) => /\d/.test(word));
  const isValue =
    (hasDigit(was) && hasDigit(is)) ||
    nowWords.test(later.body) ||
    (earlier.names.size > 0 && later.names.size > 0);
  const evidence = { earlier: spanOf(earlier, was), later: spanOf(later, is) };
  if (!isValue || areApart(earlier, later, evidence.earlier, evidence.later)) return undefined;
  return {
    type: 'SUPERSEDES',
    confidence: 0.85,
    reason: `The same statement, with "${evidence.later.text}" instead of "${evidence.earlier.text}".`,
    evidence,
  };
}

function spanOf({ text }: TextView, tokens: readonly Token[]): SourceSpan {
  const [start, end] = [tokens[0].start, tokens[tokens.length - 1].end];
  return { text: text.slice(start, end), start, end };
}

const cue = /^(not|n't|longer|fixed|actually)$/;
const negatedSharedMin = 0.6;
const negatedCloseMin = 0.85;
const negationPattern = /\b(no longer|any ?more|not|never|cannot|\w+n['’]t)\b/i;

/** Finds the same words, affirmed in one text and negated in the other. */
export function findNegation(earlier: TextView, later: TextView): RelationshipFinding | undefined {
  if (earlier.isNegated === later.isNegated || speakersDiffer(earlier, later)) return undefined;
  const [a, b] = [earlier, later].map(
    ({ contentSet }) => new Set([...contentSet].filter((stem) => !cue.test(stem))),
  );
  const shared = jaccard(a, b);
  const isWithin = [...a].every((stem) => b.has(stem));
  const says = noLonger.test(later.body);
  if ((a.size >= 2 && isWithin && shared >= negatedSharedMin) || (a.size >= 3 && shared >= negatedCloseMin))
    return negationFinding(
      says ? 'SUPERSEDES' : 'CONTRADICTS',
      'The same statement, negated.',
      earlier,
      later,
    );
  if (!says) return undefined;
  const clause = stemsOf(later.body.split(/[,;.]/)[0]);
  return isWithin || [...a].every((stem) => clause.has(stem))
    ? negationFinding('SUPERSEDES', 'What was said is so no longer.', earlier, later)
    : undefined;
}

const negationFinding = (
  type: 'SUPERSEDES' | 'CONTRADICTS',
  reason: string,
  earlier: TextView,
  later: TextView,
): RelationshipFinding => ({
  type,
  confidence: 0.85,
  reason,
  evidence: { earlier: evidenceOf(earlier), later: evidenceOf(later, negationPattern) },
});

const name = '[\\w.+#@/-]{1,64}';
/** Groups `from` and `to`; without `to`, the text says only what holds no longer. */
const replacements: readonly RegExp[] = [
  /\b(?:switch(?:ed)?|migrat(?:ed|e)|moved?|chang(?:ed|e)|shifted|renamed) (?:[\w'-]{1,40} ){0,4}?from (?<from>[\w.+#@/ -]{1,30}?) to (?<to>[\w.+#@/ -]{1,40}?)(?=[.,;]| in | on | at | for | because| since|$)/i,
  new RegExp(`\\breplaced (?<from>${name}) (?:with|by) (?<to>${name})`, 'i'),
  new RegExp(`(?<from>${name}) (?:is|was|were|has been) replaced (?:by|with) (?<to>${name})`, 'i'),
  new RegExp(`(?:instead of|rather than) (?<from>${name})`, 'i'),
  new RegExp(`\\bno longer (?<from>${name}?)(?=[.,;]?(?:\\s|$))`, 'i'),
];
const correction = /\b(the )?(note|above|earlier|previous)\b.{0,200}\bwrong\b|^actually\b/i;
const cosineMin = 0.4;
const wordsMin = 0.25;
const shortMax = 4;
const [correctionCosineMin, correctionWordsMin] = [0.55, 0.4];

/** Finds `switched from X to Y`, `X was replaced by Y` or `instead of X` if the earlier text has X. */
export function findReplacement(
  earlier: TextView,
  later: TextView,
  cosine: number,
): RelationshipFinding | undefined {
  if (cosine < cosineMin) return undefined;
  for (const cue of replacements) {
    const groups = cue.exec(later.body)?.groups;
    const [from, to] = [groups?.from.replace(/[.]$/, ''), groups?.to];
    if (!from || stopWords.has(from.toLowerCase())) continue;
    const pattern = new RegExp(`(?<!\\w)${escapePattern(from)}(?!\\w)`, 'i');
    if (!pattern.test(earlier.body)) continue;
    if (jaccard(earlier.contentSet, later.contentSet) < wordsMin && earlier.content.length > shortMax)
      continue;
    const about = nounsAround(later, cue, `${from} ${to ?? ''}`);
    if (about.length > 0 && !about.some((stem) => earlier.contentSet.has(stem))) continue;
    return {
      type: 'SUPERSEDES',
      confidence: 0.9,
      reason: to ? `"${from}" is replaced by "${to}".` : `"${from}" holds no longer.`,
      evidence: { earlier: evidenceOf(earlier, pattern), later: evidenceOf(later, cue) },
    };
  }
  return undefined;
}

/** Stems of nouns in the sentence of a cue, without those of some words. */
function nounsAround(view: TextView, cue: RegExp, without: string): string[] {
  const { start } = evidenceOf(view, cue);
  const left = new Set(stemsOf(without));
  const { tokens, tags } = view.sentences.find((one) => (one.tokens.at(-1)?.end ?? 0) > start) ?? noSentence;
  return tokens
    .flatMap(({ word }, i) => (/^(NN|FW)/.test(tags[i]) ? toContent(word) : []))
    .filter((stem) => !left.has(stem));
}

const noSentence = { tokens: [], tags: [] };

const escapePattern = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Finds `Actually, ...` or `the earlier note was wrong` about the same thing. */
export function findCorrection(
  earlier: TextView,
  later: TextView,
  cosine: number,
): RelationshipFinding | undefined {
  if (!correction.test(later.body) || cosine < correctionCosineMin) return undefined;
  if (jaccard(earlier.contentSet, later.contentSet) < correctionWordsMin) return undefined;
  const { earlier: was } = changedSlot(earlier, later);
  const isSlot = was.length > 0 && was.length <= earlierMax;
  return {
    type: 'SUPERSEDES',
    confidence: 0.85,
    reason: 'It corrects what was said.',
    evidence: {
      earlier: isSlot ? spanOf(earlier, was) : evidenceOf(earlier),
      later: evidenceOf(later, correction),
    },
  };
}

const naming =
  /\b(?:is|are|was) (?:now )?(?:called|named|known as) (?<name>["'“]?[\p{L}\p{N}][\p{L}\p{N}.+#@/_-]*)/iu;

/** Finds `X is called B now` if the earlier text says that X is called otherwise. */
export function findRenaming(earlier: TextView, later: TextView): RelationshipFinding | undefined {
  const [was, is] = [earlier, later].map(({ body }) =>
    naming.exec(body)?.groups?.name.replace(/^["'“]|\.$/g, ''),
  );
  if (!was || !is || was.toLowerCase() === is.toLowerCase() || !nowCue.test(later.body)) return undefined;
  const named = new Set(stemsOf(was));
  const others = [...earlier.contentSet].filter((stem) => !named.has(stem));
  if (others.length < 2 || !others.every((stem) => later.contentSet.has(stem))) return undefined;
  const start = earlier.bodyStart + earlier.body.indexOf(was, naming.exec(earlier.body)?.index);
  return {
    type: 'SUPERSEDES',
    confidence: 0.9,
    reason: `"${was}" is called "${is}" now.`,
    evidence: { earlier: { text: was, start, end: start + was.length }, later: evidenceOf(later, naming) },
  };
}

const away =
  /\b(?:on|at|off|in) (?:\w{1,20} ){0,2}(?:vacation|leave|holidays?|sick leave|honeymoon|sabbatical)\b[^.,;]{0,60}/i;
const back = /\b(?:is|am|are|came|got|being) back\b|\breturned from\b|'s back\b/i;

/** Finds `X is back` if the earlier text says that X is on leave. */
export function findReturn(earlier: TextView, later: TextView): RelationshipFinding | undefined {
  if (!back.test(later.body) || !away.test(earlier.body) || later.isNegated) return undefined;
  const isSame = [...later.names].some((name) => earlier.names.has(name));
  if (!isSame && (earlier.speaker === undefined || earlier.speaker !== later.speaker)) return undefined;
  return {
    type: 'SUPERSEDES',
    confidence: 0.85,
    reason: 'The absence is over.',
    evidence: { earlier: evidenceOf(earlier, away), later: evidenceOf(later, back) },
  };
}

const revert = /^revert:? (?:"(?<quoted>[^"\n]{1,500})"|(?<plain>[^\n]{1,500}))/i;

/** Finds `Revert "X"` or `revert: X` of a commit whose first line is X. */
export function findRevert(earlier: TextView, later: TextView): RelationshipFinding | undefined {
  const found = revert.exec(later.text);
  const undone = (found?.groups?.quoted ?? found?.groups?.plain)?.trim();
  if (!found || !undone || earlier.text.split('\n', 1)[0].trim() !== undone) return undefined;
  const start = earlier.text.indexOf(undone);
  return {
    type: 'SUPERSEDES',
    confidence: 0.95,
    reason: `"${undone}" was reverted.`,
    evidence: {
      earlier: { text: undone, start, end: start + undone.length },
      later: { text: found[0], start: 0, end: found[0].length },
    },
  };
}
