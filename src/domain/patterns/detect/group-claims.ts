import { Breather } from '../../../lib/breather.ts';
import { jaccard } from '../../../lib/jaccard.ts';
import type { Claim } from './source.ts';

/** Claims that say the same, in order of time; the first gave it its words. */
export interface ClaimGroup {
  readonly claims: Claim[];
}

/** As alike as this, two claims of one owner are one. */
const alikeMin = 0.5;
/** Groups that a claim is compared with, for each of its words. */
const comparedMax = 50;

/**
 * Puts claims together that are of one type, owner and direction and share half of their words. Each claim joins the group
 * most like it, else begins one.
 * @param claims in order of time
 */
export async function groupClaims(claims: readonly Claim[]): Promise<ClaimGroup[]> {
  const breather = new Breather();
  const groups: ClaimGroup[] = [];
  const byWord = new Map<string, ClaimGroup[]>();
  for (const claim of claims) {
    const pause = breather.pause();
    if (pause) await pause;
    const near = [...claim.words].flatMap(
      (word) => byWord.get(wordKey(claim, word))?.slice(-comparedMax) ?? [],
    );
    let best: ClaimGroup | undefined;
    let bestLikeness = 0;
    for (const group of new Set(near)) {
      const likeness = jaccard(claim.words, group.claims[0].words);
      if (likeness >= alikeMin && likeness > bestLikeness) [best, bestLikeness] = [group, likeness];
    }
    if (best) {
      best.claims.push(claim);
      continue;
    }
    const group = { claims: [claim] };
    groups.push(group);
    for (const word of claim.words) {
      const key = wordKey(claim, word);
      const known = byWord.get(key);
      if (known) known.push(group);
      else byWord.set(key, [group]);
    }
  }
  return groups;
}

const wordKey = ({ type, owner, isNegated }: Claim, word: string) =>
  `${type} ${owner.toLowerCase()} ${isNegated} ${word}`;

/** What a later detection knows a pattern by. */
export const keyOf = ({ type, owner, isNegated, words }: Claim): string =>
  `${type}|${owner.toLowerCase()}|${isNegated ? 'not' : ''}|${[...words].sort().join(' ')}`.slice(0, 400);
