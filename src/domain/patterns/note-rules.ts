import { jaccard } from '../../lib/collections.ts';
import { Breather } from '../../lib/loop-time.ts';
import type { StepKey } from '../jobs/step-key.ts';
import type { Memory } from '../memories/memory.ts';
import { relateStepKey } from '../relationships/relationship-steps.ts';
import type { Write } from '../shared/write.ts';
import { claimsIn } from './detect/claims.ts';
import { alikeMin, foundInClaims } from './detect/found-in-claims.ts';
import type { Claim, FoundPattern } from './detect/found-pattern.ts';
import { wordsOf } from './detect/words.ts';
import type { PatternClaim, PatternSummary, PatternType } from './pattern.ts';
import { storeFound, toSource } from './store-patterns.ts';

/** Raise its version with the forms of claims: the rules of all memories are then read again. */
export const rulesStepKey = {
  name: 'rules',
  version: 1,
  after: relateStepKey.name,
  isJoined: true,
} as const satisfies StepKey;

/** Types that one memory is enough to state; the others recur, and a detection over all memories finds them. */
const statedTypes: readonly PatternType[] = ['rule', 'correction', 'preference'];

/** The rules, corrections and preferences of the user that a memory states; none of a superseded or duplicate one. */
export const rulesIn = (memory: Memory): Claim[] =>
  memory.effectiveState === 'current'
    ? claimsIn(toSource(memory)).filter(({ type, owner }) => owner === 'user' && statedTypes.includes(type))
    : [];

/** With 20 memories of each, the most that one statement reads. */
const nearMax = 50;

interface NotedVersion {
  readonly memory: Memory;
  readonly claims: readonly Claim[];
}

/**
 * Stores the rules of new versions: as evidence of stored patterns that say the same or the opposite, whose confidence it
 * computes again, else as new patterns. Rules of an earlier version of a memory that the new one leaves out lose it as
 * evidence. Versions that are not open any more, or whose memory is in the trash, are passed over.
 */
export async function noteRules(write: Write, versions: readonly NotedVersion[]): Promise<void> {
  const { patterns, memories } = write.tx;
  const allIds = [...new Set(versions.map(({ memory }) => memory.id))];
  const showing = await patterns.showing(allIds, statedTypes);
  // Most memories state no rule and never did.
  const stating = versions.filter(({ memory, claims }) => claims.length > 0 || showing.has(memory.id));
  if (stating.length === 0) return;
  const now = await memories.findMany([...new Set(stating.map(({ memory }) => memory.id))]);
  const open = new Set(now.map(({ doc }) => doc));
  const noted = stating.filter(({ memory }) => open.has(memory.doc));
  const ids = new Set(noted.map(({ memory }) => memory.id));
  if (showing.size > 0) await patterns.removeEvidence([...ids], statedTypes);
  const claims = noted.flatMap((version) => version.claims);
  if (claims.length === 0) return;
  const near = await nearClaims(await patterns.listSummaries(), claims);
  const shown = (await patterns.findMany(near.map(({ id }) => id))).flatMap((one) => one?.evidence ?? []);
  const earlier = await memories.findMany([...new Set(shown)].filter((id) => !ids.has(id)));
  const all = [...earlier.flatMap(rulesIn), ...claims];
  const found = await foundInClaims(all, Math.max(...all.map(({ source }) => source.at)));
  const said = near.map((one) => ({ one, says: says(one), words: wordsOf(one.target) }));
  const breather = new Breather();
  const byKey = new Map<string, FoundPattern>();
  for (const one of found) {
    const pause = breather.pause();
    if (pause) await pause;
    const words = wordsOf(one.target);
    const same = said.find((stored) => stored.says === says(one) && jaccard(stored.words, words) >= alikeMin);
    const key = same?.one.key ?? one.key;
    byKey.set(key, same ? { ...one, key } : one);
  }
  await storeFound(write, [...byKey.values()]);
}

/** Type and direction of a pattern: those with an equal one and alike words say the same. */
const says = ({ type, isNegated }: PatternClaim) => `${type} ${isNegated}`;

/** A stored pattern is compared with this many claims of each of its words. */
const comparedMax = 50;

/** Words of what claims are for or against, by owner and word. */
function claimsByWord(claims: readonly Claim[]): ReadonlyMap<string, readonly ReadonlySet<string>[]> {
  const byWord = new Map<string, ReadonlySet<string>[]>();
  for (const { owner, words, against } of claims)
    for (const some of against === null ? [words] : [words, wordsOf(against)])
      for (const word of some) {
        const known = byWord.get(`${owner} ${word}`);
        if (!known) byWord.set(`${owner} ${word}`, [some]);
        else if (known.length < comparedMax) known.push(some);
      }
  return byWord;
}

/** The stored patterns, in their order, that are about the same as some claim of their owner, for it or against it. */
async function nearClaims(
  stored: readonly PatternSummary[],
  claims: readonly Claim[],
): Promise<readonly PatternSummary[]> {
  const breather = new Breather();
  const byWord = claimsByWord(claims);
  const isNear = ({ owner, target, against }: PatternSummary) =>
    (against === null ? [target] : [target, against])
      .map(wordsOf)
      .some((words) =>
        [...words]
          .flatMap((word) => byWord.get(`${owner} ${word}`) ?? [])
          .some((other) => jaccard(words, other) >= alikeMin),
      );
  const near: PatternSummary[] = [];
  for (const one of stored) {
    const pause = breather.pause();
    if (pause) await pause;
    if (near.length === nearMax) break;
    if (statedTypes.includes(one.type) && isNear(one)) near.push(one);
  }
  return near;
}
