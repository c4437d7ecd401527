import type { SourceSpan } from '../facts/fact.ts';
import type { LanguageModel } from '../language-model.ts';
import {
  findChangedValue,
  findCorrection,
  findNegation,
  findRenaming,
  findReplacement,
  findReturn,
  findRevert,
} from './changed-statements.ts';
import { isFiller, toContent } from './content-words.ts';
import { strongChange } from './cues.ts';
import { findDuplicate, likelyDuplicate } from './duplicates.ts';
import { findFactChange } from './fact-changes.ts';
import { automaticRelationshipMin, type RelationshipFinding } from './finding.ts';
import {
  findClosedTicket,
  findDone,
  findResolution,
  isFixOfProblem,
  isFixUnsure,
  likelyResolution,
} from './resolutions.ts';
import type { TextView } from './text-view.ts';
import { findEarly, findValueChange } from './value-changes.ts';

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
  const found = findByRules(model, earlier, later, cosine) ?? findCandidate(model, earlier, later, cosine);
  return found && withinTexts(found, earlier, later);
}

function findByRules(
  { lexicon }: LanguageModel,
  earlier: TextView,
  later: TextView,
  cosine: number,
): RelationshipFinding | undefined {
  const done =
    findRevert(earlier, later) ?? findClosedTicket(earlier, later) ?? findDone(lexicon, earlier, later);
  if (done) return done;
  const value = findValueChange(lexicon, earlier, later);
  if (value) return value;
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
    findRenaming(earlier, later) ??
    (isFix ? undefined : findNegation(earlier, later)) ??
    findReturn(earlier, later) ??
    findEarly(earlier, later) ??
    findReplacement(earlier, later, cosine) ??
    findCorrection(earlier, later, cosine) ??
    reference ??
    change
  );
}

/** A likely relationship that needs confirmation: its confidence is below `automaticRelationshipMin`. */
function findCandidate(
  { lexicon }: LanguageModel,
  earlier: TextView,
  later: TextView,
  cosine: number,
): RelationshipFinding | undefined {
  if (later.isQuestion) return undefined;
  return isFixOfProblem(earlier, later)
    ? likelyResolution(lexicon, earlier, later, cosine)
    : likelyDuplicate(earlier, later, cosine);
}

/** Finds a link, file, ticket or document that both texts name. */
function findReference(earlier: TextView, later: TextView): RelationshipFinding | undefined {
  for (const [identifier, span] of later.identifiers) {
    const other = earlier.identifiers.get(identifier);
    if (other)
      return {
        type: 'REFERENCES',
        confidence: 0.95,
        reason: `Both name ${span.text}.`,
        evidence: { earlier: other, later: span },
      };
  }
  return undefined;
}

/** Content words that both texts need, so that one of them changes the state of the other. */
const saidMin = 5;
/** Words of the earlier text that the later one may leave out and still cover it. */
const leftMax = 1;
const stateful = /^(SUPERSEDES|CONTRADICTS|DUPLICATES)$/;

/**
 * Limits a finding to what follows from both texts: fillers change nothing, a text of less than five
 * content words no state, and a text that says more than was replaced keeps its state.
 */
function withinTexts(
  found: RelationshipFinding,
  earlier: TextView,
  later: TextView,
): RelationshipFinding | undefined {
  if (!stateful.test(found.type) || found.confidence < automaticRelationshipMin) return found;
  const isShort = Math.min(earlier.said, later.said) < saidMin;
  if (isShort && (earlier.hasFillers || later.hasFillers)) return undefined;
  const isWhole =
    found.type === 'DUPLICATES' || isCovered(earlier, later, [found.evidence.earlier, ...(found.also ?? [])]);
  return isShort || !isWhole ? { ...found, keepsState: true } : found;
}

/** Whether the later text has all content words of the earlier one, apart from the outdated ones and one plain word. */
function isCovered(earlier: TextView, later: TextView, outdated: readonly SourceSpan[]): boolean {
  const others = earlier.tokens.filter(
    (token, at, all) =>
      outdated.every(({ start, end }) => token.end <= start || token.start >= end) && !isFiller(all, at),
  );
  const left = new Set(
    others.flatMap(({ word }) => toContent(word)).filter((stem) => !later.contentSet.has(stem)),
  );
  const isPlain = [...left].every((stem) => !/\d/.test(stem) && !earlier.names.has(stem));
  return left.size <= leftMax && isPlain;
}
