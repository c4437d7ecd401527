import { jaccard } from '../../lib/collections.ts';
import { noLonger } from './cues.ts';
import type { RelationshipFinding } from './edge.ts';
import { evidenceOf, speakersDiffer, stemsOf, type TextView } from './edge-view.ts';

const cue = /^(not|n't|longer|fixed|actually)$/;
const sharedMin = 0.6;
const closeMin = 0.85;
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
  if ((a.size >= 2 && isWithin && shared >= sharedMin) || (a.size >= 3 && shared >= closeMin))
    return finding(says ? 'SUPERSEDES' : 'CONTRADICTS', 'The same statement, negated.', earlier, later);
  if (!says) return undefined;
  const clause = stemsOf(later.body.split(/[,;.]/)[0]);
  return isWithin || [...a].every((stem) => clause.has(stem))
    ? finding('SUPERSEDES', 'What was said is so no longer.', earlier, later)
    : undefined;
}

const finding = (
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
