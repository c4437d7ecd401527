import type { Metadata } from '../memories/metadata.ts';
import type { EpochMs } from '../shared/time.ts';

/** What a pattern is of; the order is that of their priority, the first counts most. */
export const patternTypes = [
  'correction',
  'rule',
  'preference',
  'habit',
  'sequence',
  'tool',
  'temporal',
] as const;
export type PatternType = (typeof patternTypes)[number];

export const patternFields = ['name', 'description', 'confidence', 'metadata'] as const;
export type PatternField = (typeof patternFields)[number];

/** Lengths are UTF-16 units. */
export const patternLengthMax = { name: 200, description: 1000, feedback: 2000 } as const;
/** Of one user: a compilation stores the surest first, up to so many. */
export const patternsMax = 2000;
/** Memories kept for one pattern, the last ones. */
export const evidenceMax = 200;
/** Memories shown with one pattern, the last ones. */
export const evidenceShownMax = 20;

export interface Evidence {
  readonly memoryId: string;
  readonly at: EpochMs;
}

/** What a pattern says, in parts that patterns are compared by. */
export interface PatternClaim {
  readonly type: PatternType;
  /** Whose it is: a name, or `user`. */
  readonly owner: string;
  readonly target: string;
  /** What the target is taken in place of. */
  readonly against: string | null;
  /** Whether it says what is not to be. */
  readonly isNegated: boolean;
}

/** Something that recurs in the memories of a user. */
export interface Pattern extends PatternClaim {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly description: string;
  /** The topic that most of its memories have. */
  readonly context: string | null;
  /** 0-1. */
  readonly confidence: number;
  /** What feedback moves `confidence` from. */
  readonly baseConfidence: number;
  readonly positives: number;
  readonly negatives: number;
  /** The last feedback that was given in words of its own. */
  readonly feedback: string | null;
  /** Fields that a person set: a detection leaves them. */
  readonly edited: readonly PatternField[];
  readonly isActive: boolean;
  readonly metadata: Metadata | null;
  /** The memory whose words it has. */
  readonly wordedBy: string | null;
  readonly firstSeen: EpochMs;
  readonly lastSeen: EpochMs;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  /** Live memories that show it. */
  readonly occurrences: number;
  /** The last of them, at most `evidenceShownMax`. */
  readonly evidence: readonly string[];
}

/** A pattern without the memories that show it: all that choosing among many needs. */
export type PatternSummary = Omit<Pattern, 'evidence'>;

/** Said outright, so that one memory is enough to act by it. */
const statedOutright: ReadonlySet<PatternType> = new Set(['rule', 'correction']);

/** Seen once, and neither a rule nor confirmed: shown in lists, and not yet made an instruction. */
export function isPending({ type, occurrences, edited, positives }: PatternSummary): boolean {
  return occurrences < 2 && edited.length === 0 && positives === 0 && !statedOutright.has(type);
}

export type PatternSource = 'learned' | 'explicit' | 'manual';

/** Where it comes from: a person edited it, memories say it outright, or it was seen to recur. */
export function sourceOf({ type, edited }: Pick<Pattern, 'type' | 'edited'>): PatternSource {
  if (edited.length > 0) return 'manual';
  return statedOutright.has(type) ? 'explicit' : 'learned';
}
