import { randomUUID } from 'node:crypto';
import { type Memory, orderTime } from '../memories/memory.ts';
import type { EpochMs } from '../shared/time.ts';
import type { Write } from '../shared/write.ts';
import type { FoundPattern, SourceMemory } from './detect/found-pattern.ts';
import { evidenceMax, evidenceShownMax, type Pattern, patternsMax } from './pattern.ts';
import { confidenceAfter } from './pattern-service.ts';

/** The parts of a memory that detection reads. */
export const toSource = (memory: Memory): SourceMemory => ({
  id: memory.id,
  content: memory.content,
  at: orderTime(memory),
  conversationId: memory.conversationId,
  topics: memory.topics,
  role: memory.role,
  isPast: memory.effectiveState !== 'current',
});

/** A pattern for a finding without a stored one. */
export function newPattern(found: FoundPattern, id: string, at: EpochMs): Pattern {
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

/** A stored pattern that was found again: fields that a person set stay, and so does feedback. */
function changedPattern(before: Pattern, found: FoundPattern, at: EpochMs): Pattern {
  const next = newPattern(found, before.id, at);
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

/** Inserts found patterns, or updates the stored ones of the same key. @returns the stored ones, in the order given */
export async function storeFound({ tx, at }: Write, found: readonly FoundPattern[]): Promise<Pattern[]> {
  const known = new Map(
    (await tx.patterns.findByKeys(found.map(({ key }) => key))).map((one) => [one.key, one]),
  );
  let room = patternsMax - (await tx.patterns.countStored());
  const keys: string[] = [];
  // Patterns that are equal otherwise are listed by id: new ones have ids in their order.
  const freshIds = found.map(() => randomUUID()).sort();
  for (const [place, one] of found.entries()) {
    const before = known.get(one.key);
    if (before) {
      await tx.patterns.replace(changedPattern(before, one, at));
      await tx.patterns.addEvidence(before.id, one.evidence);
    } else if (room > 0) {
      room--;
      await tx.patterns.insert(newPattern(one, freshIds[place], at), one.evidence);
    } else continue;
    keys.push(one.key);
  }
  const stored = new Map((await tx.patterns.findByKeys(keys)).map((one) => [one.key, one]));
  return keys.flatMap((key) => stored.get(key) ?? []);
}
