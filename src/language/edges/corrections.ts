import { jaccard } from '../../lib/collections.ts';
import type { RelationshipFinding } from './edge.ts';
import { evidenceOf, type TextView } from './edge-view.ts';

const changed =
  /\b(?:switch(?:ed)?|migrat(?:ed|e)|moved?|chang(?:ed|e)) (?:\w{1,40} )?from ([\w.+#@/ -]{1,30}?) to ([\w.+#@/ -]{1,40}?)(?=[.,;]| in | on | because|$)/i;
const instead = /([\w.+#@/-]{1,64}) instead of ([\w.+#@/-]{1,64})/i;
const correction = /\b(the )?(note|above|earlier|previous)\b.{0,200}\bwrong\b|^actually\b/i;
const cosineMin = 0.4;
const wordsMin = 0.25;
const shortMax = 4;
const [correctionCosineMin, correctionWordsMin] = [0.55, 0.4];

/** Finds `switched from X to Y` or `Y instead of X` if the earlier text has X. */
export function findReplacement(
  earlier: TextView,
  later: TextView,
  cosine: number,
): RelationshipFinding | undefined {
  const replaced = replacedIn(later.body);
  if (!replaced || cosine < cosineMin) return undefined;
  const pattern = new RegExp(`(?<!\\w)${escapePattern(replaced.from)}(?!\\w)`, 'i');
  if (!pattern.test(earlier.body)) return undefined;
  if (jaccard(earlier.contentSet, later.contentSet) < wordsMin && earlier.content.length > shortMax)
    return undefined;
  return {
    type: 'SUPERSEDES',
    confidence: 0.9,
    reason: `"${replaced.from}" is replaced by "${replaced.to}".`,
    evidence: { earlier: evidenceOf(earlier, pattern), later: evidenceOf(later, replaced.cue) },
  };
}

function replacedIn(body: string): { from: string; to: string; cue: RegExp } | undefined {
  const change = changed.exec(body);
  if (change) return { from: change[1], to: change[2], cue: changed };
  const choice = instead.exec(body);
  return choice ? { from: choice[2], to: choice[1], cue: instead } : undefined;
}

const escapePattern = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Finds `Actually, ...` or `the earlier note was wrong` about the same thing. */
export function findCorrection(
  earlier: TextView,
  later: TextView,
  cosine: number,
): RelationshipFinding | undefined {
  if (!correction.test(later.body) || cosine < correctionCosineMin) return undefined;
  if (jaccard(earlier.contentSet, later.contentSet) < correctionWordsMin) return undefined;
  return {
    type: 'SUPERSEDES',
    confidence: 0.85,
    reason: 'It corrects what was said.',
    evidence: { earlier: evidenceOf(earlier), later: evidenceOf(later, correction) },
  };
}
