import type { LanguageModel } from '../language-model.ts';
import { findChangedValue } from './changed-slot.ts';
import { findCorrection, findReplacement } from './corrections.ts';
import { strongChange } from './cues.ts';
import { findDuplicate } from './duplicates.ts';
import { automaticRelationshipMin, type RelationshipFinding } from './edge.ts';
import { findCandidate } from './edge-candidates.ts';
import type { TextView } from './edge-view.ts';
import { findFactChange } from './fact-changes.ts';
import { findNegation } from './polarity.ts';
import { findReference } from './references.ts';
import { findResolution, isFixOfProblem, isFixUnsure } from './resolutions.ts';

const contentMin = 2;

/**
 * The relationship of a later text to an earlier one, if any; below `automaticRelationshipMin` a candidate.
 * Questions and doubts change nothing, so they can only refer.
 * @param cosine of the vectors of both bodies
 */
export function findRelationship(
  model: LanguageModel,
  earlier: TextView,
  later: TextView,
  cosine: number,
): RelationshipFinding | undefined {
  if (earlier.content.length < contentMin || later.content.length < contentMin) return undefined;
  return findByRules(model, earlier, later, cosine) ?? findCandidate(earlier, later, cosine);
}

function findByRules(
  { lexicon }: LanguageModel,
  earlier: TextView,
  later: TextView,
  cosine: number,
): RelationshipFinding | undefined {
  const duplicate = findDuplicate(lexicon, earlier, later, cosine);
  if (duplicate) return duplicate;
  const reference = findReference(earlier, later);
  if (later.isQuestion || (later.isHedged && !strongChange.test(later.body))) return reference;
  const isFix = isFixOfProblem(earlier, later);
  if (isFix) {
    if (isFixUnsure(earlier, later)) return undefined;
    const resolution = findResolution(lexicon, earlier, later, cosine);
    if (resolution) return resolution;
    const negation = findNegation(earlier, later);
    if (negation) return { ...negation, type: 'RESOLVES', reason: 'What was a problem is so no longer.' };
  }
  if (earlier.isQuestion || earlier.isHedged) return reference;
  const change = findFactChange(earlier, later);
  if (change && change.confidence >= automaticRelationshipMin) return change;
  return (
    findChangedValue(earlier, later) ??
    (isFix ? undefined : findNegation(earlier, later)) ??
    findReplacement(earlier, later, cosine) ??
    findCorrection(earlier, later, cosine) ??
    reference ??
    change
  );
}
