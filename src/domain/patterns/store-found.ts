import { randomUUID } from 'node:crypto';
import type { EpochMs } from '../shared/time.ts';
import type { Write } from '../shared/write.ts';
import type { Found } from './detect/source.ts';
import { confidenceAfter } from './feedback-rule.ts';
import { evidenceMax, evidenceShownMax, type Pattern, patternsMax } from './pattern.ts';

/** The pattern that a find makes where none is stored. */
export function patternOf(found: Found, id: string, at: EpochMs): Pattern {
  const { evidence, confidence, ...claim } = found;
  const last = evidence.slice(-evidenceMax).reverse();
  return {
    ...claim,
    id,
    confidence,
    baseConfidence: confidence,
    positives: 0,
    negatives: 0,
    feedback: null,
    edited: [],
    isActive: true,
    metadata: null,
    firstSeen: evidence[0].at,
    lastSeen: last[0].at,
    createdAt: at,
    updatedAt: at,
    occurrences: last.length,
    evidence: last.slice(0, evidenceShownMax).map(({ memoryId }) => memoryId),
  };
}

/**
 * What a find makes of a stored pattern: what a person set stays, and feedback given counts on.
 * @param before its occurrences stay where they are more
 */
export function patternAfter(before: Pattern, found: Found, at: EpochMs): Pattern {
  const next = patternOf(found, before.id, at);
  const isSet = (field: Pattern['edited'][number]) => before.edited.includes(field);
  const { positives, negatives } = before;
  const base = isSet('confidence') ? before.baseConfidence : next.baseConfidence;
  return {
    ...next,
    name: isSet('name') ? before.name : next.name,
    description: isSet('description') ? before.description : next.description,
    confidence: confidenceAfter(base, positives, negatives),
    baseConfidence: base,
    positives,
    negatives,
    feedback: before.feedback,
    edited: before.edited,
    isActive: before.isActive,
    metadata: before.metadata,
    firstSeen: Math.min(before.firstSeen, next.firstSeen),
    lastSeen: Math.max(before.lastSeen, next.lastSeen),
    createdAt: before.createdAt,
  };
}

/** Stores finds, those that are known by their key as changes of the stored ones. @returns them in the order given */
export async function storeFound({ tx, at }: Write, found: readonly Found[]): Promise<Pattern[]> {
  const known = new Map(
    (await tx.patterns.findByKeys(found.map(({ key }) => key))).map((one) => [one.key, one]),
  );
  let room = patternsMax - (await tx.patterns.countStored());
  const keys: string[] = [];
  // Equals are listed by id: new ones have ids in their order.
  const freshIds = found.map(() => randomUUID()).sort();
  for (const [place, one] of found.entries()) {
    const before = known.get(one.key);
    if (before) {
      await tx.patterns.replace(patternAfter(before, one, at));
      await tx.patterns.addEvidence(before.id, one.evidence);
    } else if (room > 0) {
      room--;
      await tx.patterns.insert(patternOf(one, freshIds[place], at), one.evidence);
    } else continue;
    keys.push(one.key);
  }
  const stored = new Map((await tx.patterns.findByKeys(keys)).map((one) => [one.key, one]));
  return keys.flatMap((key) => stored.get(key) ?? []);
}
