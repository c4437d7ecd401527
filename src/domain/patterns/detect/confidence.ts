import { DAY_MS, type EpochMs } from '../../shared/time.ts';
import type { PatternType } from '../pattern.ts';

/** How sure one memory makes of a pattern that says it plainly. */
const plainWeight: Readonly<Record<PatternType, number>> = {
  correction: 0.6,
  rule: 0.6,
  preference: 0.5,
  habit: 0.45,
  sequence: 0.25,
  tool: 0.3,
  temporal: 0.15,
};
const halfLifeMs = 365 * DAY_MS;
/** What the oldest pattern keeps. */
const oldestShare = 0.8;

export interface Occurrence {
  readonly conversationId: string;
  readonly at: EpochMs;
  readonly isHedged: boolean;
}

/**
 * support x consistency x recency, 0-1:
 * - support: 1 - the product of (1 - weight) over the occurrences; a hedged one weighs half, and the second, third, ... of a
 *   conversation a half, a third, ... of the first;
 * - consistency: (occurrences + 1) / (occurrences + contradictions + 1);
 * - recency: 0.8, and 0.2 that halve with each year between its last occurrence and the newest memory read.
 */
export function confidenceOf(
  type: PatternType,
  occurrences: readonly Occurrence[],
  { contradictions, newest }: { readonly contradictions: number; readonly newest: EpochMs },
): number {
  const ofConversation = new Map<string, number>();
  let doubt = 1;
  let last = Number.NEGATIVE_INFINITY;
  for (const { conversationId, at, isHedged } of occurrences) {
    const place = (ofConversation.get(conversationId) ?? 0) + 1;
    ofConversation.set(conversationId, place);
    doubt *= 1 - (plainWeight[type] * (isHedged ? 0.5 : 1)) / place;
    last = Math.max(last, at);
  }
  const count = occurrences.length;
  const consistency = (count + 1) / (count + contradictions + 1);
  const recency = oldestShare + (1 - oldestShare) * 0.5 ** (Math.max(0, newest - last) / halfLifeMs);
  return Math.round((1 - doubt) * consistency * recency * 1000) / 1000;
}
