import type { Lexicon } from '../models/word-lists.ts';
import { isTopical } from './content-words.ts';
import { fix, problem, unfinishedFix } from './cues.ts';
import type { RelationshipFinding } from './finding.ts';
import { evidenceOf, type TextView } from './text-view.ts';

/** Words common to all problems and repairs. */
const common =
  /^(fail|bug|error|fix|fixed|resolve|cause|problem|issue|slow|work|question|decision|open|cannot)$/;
const cosineMin = 0.45;
const singleCosineMin = 0.5;
const sharedMin = 2;
const shortMax = 3;
const versionSign = /-|\./;

/** Whether the later text reports a fix and the earlier one a problem. */
export function isFixOfProblem(earlier: TextView, later: TextView): boolean {
  const cue = fix.exec(later.body)?.[0];
  if (cue === undefined || fix.test(earlier.body) || !problem.test(earlier.body)) return false;
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

/** A likely problem and its fix, for a person to confirm. */
export function likelyResolution(
  earlier: TextView,
  later: TextView,
  cosine: number,
): RelationshipFinding | undefined {
  const shared = [...earlier.contentSet].filter((stem) => later.contentSet.has(stem));
  if (shared.length === 0 || cosine < cosineMin) return undefined;
  return {
    type: 'RESOLVES',
    confidence: isFixUnsure(earlier, later) ? 0.4 : 0.6,
    reason: `Perhaps a problem and its fix: both have ${shared.join(', ')}.`,
    evidence: { earlier: evidenceOf(earlier, problem), later: evidenceOf(later, fix) },
  };
}
