import { jaccard } from '../../lib/collections.ts';
import { deriveStepKey } from '../derivation/deriver.ts';
import type { StepKey } from '../jobs/step-key.ts';
import type { Memory } from '../memories/memory.ts';
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
  after: deriveStepKey.name,
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
  const open = new Set(
    (await memories.findMany(versions.map(({ memory }) => memory.id))).map(({ doc }) => doc),
  );
  const noted = versions.filter(({ memory }) => open.has(memory.doc));
  const ids = new Set(noted.map(({ memory }) => memory.id));
  await patterns.removeEvidence([...ids], statedTypes);
  const claims = noted.flatMap((version) => version.claims);
  if (claims.length === 0) return;
  const stored = await patterns.listSummaries();
  const near = stored.filter((one) => claims.some((claim) => isNear(one, claim))).slice(0, nearMax);
  const shown = (await patterns.findMany(near.map(({ id }) => id))).flatMap((one) => one?.evidence ?? []);
  const earlier = await memories.findMany([...new Set(shown)].filter((id) => !ids.has(id)));
  const all = [...earlier.flatMap(rulesIn), ...claims];
  const found = await foundInClaims(all, Math.max(...all.map(({ source }) => source.at)));
  const byKey = new Map(found.map((one) => keyedAs(one, near)).map((one) => [one.key, one]));
  await storeFound(write, [...byKey.values()]);
}

/** Whether a stored pattern is about the same as a claim, for it or against it. */
function isNear({ type, owner, target, against }: PatternSummary, claim: Claim): boolean {
  if (owner !== claim.owner || !statedTypes.includes(type)) return false;
  const others = [claim.words, ...(claim.against === null ? [] : [wordsOf(claim.against)])];
  return [target, ...(against === null ? [] : [against])]
    .map(wordsOf)
    .some((words) => others.some((other) => jaccard(words, other) >= alikeMin));
}

/** A found pattern under the key of the stored one that says the same. */
function keyedAs(found: FoundPattern, near: readonly PatternSummary[]): FoundPattern {
  const says = ({ type, isNegated }: PatternClaim) => `${type} ${isNegated}`;
  const words = wordsOf(found.target);
  const same = near.find(
    (stored) => says(stored) === says(found) && jaccard(wordsOf(stored.target), words) >= alikeMin,
  );
  return same ? { ...found, key: same.key } : found;
}
