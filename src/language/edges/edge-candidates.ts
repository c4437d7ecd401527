import { jaccard } from '../../lib/collections.ts';
import { fix, problem } from './cues.ts';
import type { RelationshipFinding } from './edge.ts';
import { areEqual, evidenceOf, speakersDiffer, type TextView } from './edge-view.ts';
import { isFixOfProblem, isFixUnsure } from './resolutions.ts';

const contentMin = 3;
const [wordsMin, cosineMin] = [0.5, 0.75];
const fixCosineMin = 0.45;

/**
 * Finds a likely relationship that needs confirmation: its confidence is below `automaticRelationshipMin`.
 */
export function findCandidate(
  earlier: TextView,
  later: TextView,
  cosine: number,
): RelationshipFinding | undefined {
  if (later.isQuestion) return undefined;
  return isFixOfProblem(earlier, later)
    ? likelyResolution(earlier, later, cosine)
    : likelyDuplicate(earlier, later, cosine);
}

function likelyResolution(
  earlier: TextView,
  later: TextView,
  cosine: number,
): RelationshipFinding | undefined {
  const shared = [...earlier.contentSet].filter((stem) => later.contentSet.has(stem));
  if (shared.length === 0 || cosine < fixCosineMin) return undefined;
  return {
    type: 'RESOLVES',
    confidence: isFixUnsure(earlier, later) ? 0.4 : 0.6,
    reason: `Perhaps a problem and its fix: both have ${shared.join(', ')}.`,
    evidence: { earlier: evidenceOf(earlier, problem), later: evidenceOf(later, fix) },
  };
}

function likelyDuplicate(
  earlier: TextView,
  later: TextView,
  cosine: number,
): RelationshipFinding | undefined {
  const words = jaccard(earlier.contentSet, later.contentSet);
  const isNear = words >= wordsMin && cosine >= cosineMin;
  if (!isNear || Math.min(earlier.contentSet.size, later.contentSet.size) < contentMin) return undefined;
  if (earlier.isNegated !== later.isNegated || earlier.isQuestion || speakersDiffer(earlier, later))
    return undefined;
  if (!areEqual(earlier.numbers, later.numbers)) return undefined;
  return {
    type: 'DUPLICATES',
    confidence: 0.6,
    reason: `Perhaps the same statement: ${Math.round(100 * words)} % of the words are shared, the similarity is ${cosine.toFixed(2)}.`,
    evidence: { earlier: evidenceOf(earlier), later: evidenceOf(later) },
  };
}
