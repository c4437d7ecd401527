import { jaccard } from '../../../lib/jaccard.ts';
import type { EpochMs } from '../../shared/time.ts';
import { patternLengthMax } from '../pattern.ts';
import { confidenceOf } from './confidence.ts';
import { type ClaimGroup, groupClaims, keyOf } from './group-claims.ts';
import type { Claim, Found, Source } from './source.ts';
import { wordsOf } from './words.ts';

/** Patterns of what memories say: preferences, rules, corrections, habits and tools. */
export function foundInClaims(claims: readonly Claim[], newest: EpochMs): Found[] {
  const inOrder = [...claims].sort((a, b) => a.source.at - b.source.at);
  const groups = groupClaims(inOrder);
  const live = groups.filter(({ claims: own }) => own.some(({ source }) => !source.isPast));
  return live.map((group) => toFound(group, groups, newest));
}

function toFound(group: ClaimGroup, all: readonly ClaimGroup[], newest: EpochMs): Found {
  const shown = group.claims.filter(({ source }) => !source.isPast);
  const past = group.claims.length - shown.length;
  const bySource = new Map(shown.map((claim) => [claim.source.id, claim]));
  const [first] = shown;
  const occurrences = [...bySource.values()].map(({ source, isHedged }) => ({ ...source, isHedged }));
  const contradictions = past + contradicting(first, all);
  return {
    key: keyOf(group.claims[0]),
    type: first.type,
    owner: first.owner,
    target: first.target,
    against: shown.find(({ against }) => against !== null)?.against ?? null,
    isNegated: first.isNegated,
    name: first.name.slice(0, patternLengthMax.name),
    description: described(first),
    context: topicOfMost(shown.map(({ source }) => source)),
    confidence: confidenceOf(first.type, occurrences, { contradictions, newest }),
    wordedBy: first.source.id,
    evidence: occurrences.map(({ id, at }) => ({ memoryId: id, at })),
  };
}

const described = ({ owner, sentence }: Claim) =>
  (owner === 'user' ? sentence : `${owner}: ${sentence}`).slice(0, patternLengthMax.description);

/** Later claims of the same owner that say the opposite, or put its target away for something else. */
function contradicting(claim: Claim, all: readonly ClaimGroup[]): number {
  let count = 0;
  for (const { claims } of all) {
    const [other] = claims;
    if (other.owner !== claim.owner || other === claim) continue;
    const isOpposite = other.isNegated !== claim.isNegated && jaccard(other.words, claim.words) >= 0.5;
    const isPutAway =
      other.against !== null && jaccard(wordsOf(other.against), claim.words) >= 0.5 && !claim.isNegated;
    if (isOpposite || isPutAway) count += claims.filter(({ source }) => !source.isPast).length;
  }
  return count;
}

/** The topic that most of these memories have, the first by name among equals. */
export function topicOfMost(sources: readonly Pick<Source, 'topics'>[]): string | null {
  const counts = new Map<string, number>();
  for (const { topics } of sources)
    for (const topic of topics) counts.set(topic, (counts.get(topic) ?? 0) + 1);
  const [most] = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return most?.[0] ?? null;
}
