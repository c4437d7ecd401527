import { Breather } from '../../../lib/breather.ts';
import { claimsOf } from './claims.ts';
import { foundInClaims } from './found-in-claims.ts';
import { foundInSequences } from './found-in-sequences.ts';
import { foundInTimes } from './found-in-times.ts';
import type { Claim, Found, Source } from './source.ts';

/**
 * What recurs in these memories, the surest first. Lets other work pass while it reads texts; the same memories give the
 * same patterns.
 */
export async function detectPatterns(sources: readonly Source[]): Promise<Found[]> {
  const breather = new Breather();
  const claims: Claim[] = [];
  for (const source of sources) {
    claims.push(...claimsOf(source));
    const pause = breather.pause();
    if (pause) await pause;
  }
  const newest = sources.reduce((last, { at }) => Math.max(last, at), 0);
  const found = [
    ...foundInClaims(claims, newest),
    ...foundInSequences(sources, newest),
    ...foundInTimes(sources),
  ];
  const byKey = new Map<string, Found>();
  for (const one of found) if (!byKey.has(one.key)) byKey.set(one.key, one);
  return [...byKey.values()].sort(
    (a, b) =>
      b.confidence - a.confidence || b.evidence.length - a.evidence.length || (a.key < b.key ? -1 : 1),
  );
}
