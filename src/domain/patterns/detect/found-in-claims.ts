import { Breather } from '../../../lib/breather.ts';
import type { EpochMs } from '../../shared/time.ts';
import { patternLengthMax } from '../pattern.ts';
import { confidenceOf } from './confidence.ts';
import { Contradictions } from './contradictions.ts';
import { type ClaimGroup, groupClaims, keyOf } from './group-claims.ts';
import type { Claim, Found, Source } from './source.ts';

/** Patterns of what memories say: preferences, rules, corrections, habits and tools. */
export async function foundInClaims(claims: readonly Claim[], newest: EpochMs): Promise<Found[]> {
  const breather = new Breather();
  const groups = await groupClaims(claims.toSorted((a, b) => a.source.at - b.source.at));
  const against = await Contradictions.among(groups);
  const found: Found[] = [];
  for (const group of groups) {
    const shown = group.claims.filter(({ source }) => !source.isPast);
    if (shown.length > 0) found.push(toFound(group, shown, { against, newest }));
    const pause = breather.pause();
    if (pause) await pause;
  }
  return found;
}

function toFound(
  group: ClaimGroup,
  shown: readonly Claim[],
  { against, newest }: { readonly against: Contradictions; readonly newest: EpochMs },
): Found {
  const past = group.claims.length - shown.length;
  const bySource = new Map(shown.map((claim) => [claim.source.id, claim]));
  const [first] = shown;
  const occurrences = [...bySource.values()].map(({ source, isHedged }) => ({ ...source, isHedged }));
  const contradictions = past + against.of(first);
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

/** The topic that most of these memories have, the first by name among equals. */
export function topicOfMost(sources: readonly Pick<Source, 'topics'>[]): string | null {
  const counts = new Map<string, number>();
  for (const { topics } of sources)
    for (const topic of topics) counts.set(topic, (counts.get(topic) ?? 0) + 1);
  const [most] = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return most?.[0] ?? null;
}
