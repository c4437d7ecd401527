import type { Role } from '../../memories/memory.ts';
import { DAY_MS, type EpochMs } from '../../shared/time.ts';
import type { PatternClaim, PatternType } from '../pattern.ts';

/** The parts of a memory that detection reads. */
export interface SourceMemory {
  readonly id: string;
  readonly content: string;
  readonly at: EpochMs;
  readonly conversationId: string;
  readonly topics: readonly string[];
  readonly role: Role | null;
  /** Superseded or contradicted: counts against its claims. */
  readonly isPast: boolean;
}

/** A claim made by one sentence of a memory. */
export interface Claim extends PatternClaim {
  readonly source: SourceMemory;
  /** The sentence, word for word. */
  readonly sentence: string;
  /** The name of its pattern. */
  readonly name: string;
  readonly isHedged: boolean;
  /** The content words of the target, by which claims are compared. */
  readonly words: ReadonlySet<string>;
}

/** A pattern as found, not yet stored. */
export interface FoundPattern extends PatternClaim {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly context: string | null;
  readonly confidence: number;
  readonly wordedBy: string;
  /** Memories that show it, each once, by time. */
  readonly evidence: readonly { readonly memoryId: string; readonly at: EpochMs }[];
}

/** Confidence after one memory that states the pattern plainly. */
const plainWeight: Readonly<Record<PatternType, number>> = {
  correction: 0.6,
  rule: 0.6,
  preference: 0.6,
  habit: 0.45,
  sequence: 0.25,
  tool: 0.3,
  temporal: 0.15,
};
const halfLifeMs = 365 * DAY_MS;
/** Share of its confidence that a pattern keeps however old. */
const oldestShare = 0.8;

interface Occurrence {
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

/** The most frequent topic of these memories; the first by name among equals. */
export function topicOfMost(sources: readonly Pick<SourceMemory, 'topics'>[]): string | null {
  const counts = new Map<string, number>();
  for (const { topics } of sources)
    for (const topic of topics) counts.set(topic, (counts.get(topic) ?? 0) + 1);
  const [most] = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return most?.[0] ?? null;
}
