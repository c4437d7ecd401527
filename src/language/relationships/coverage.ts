import type { SourceSpan } from '../facts/fact.ts';
import { isFiller, toContent } from './content-words.ts';
import { automaticRelationshipMin, type RelationshipFinding } from './finding.ts';
import type { TextView } from './text-view.ts';

/** Content words that both texts need, so that one of them changes the state of the other. */
const saidMin = 5;
/** Words of the earlier text that the later one may leave out and still cover it. */
const leftMax = 1;
const stateful = /^(SUPERSEDES|CONTRADICTS|DUPLICATES)$/;

/**
 * Limits a finding to what follows from both texts: fillers change nothing, a text of less than five
 * content words no state, and a text that says more than was replaced keeps its state.
 */
export function withinTexts(
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
