import type { EpochMs } from '../shared/time.ts';

export const narrativeStates = ['open', 'resolved', 'reopened', 'superseded'] as const;
export type NarrativeState = (typeof narrativeStates)[number];

export const narrativeTitleLengthMax = 500;
/** Maximum moves shown with a thread: the latest ones; older ones stay stored. */
export const movesShownMax = 100;

/** The state and resolution that a thread took at a time. */
export interface NarrativeMove {
  readonly state: NarrativeState;
  /** Null where none was named, or where it is not live any more. */
  readonly resolutionMemoryId: string | null;
  readonly at: EpochMs;
}

/** An ordered thread of memories. Only live memories are seen in it; one in the trash keeps its place. */
export interface Narrative {
  readonly id: string;
  readonly title: string;
  readonly state: NarrativeState;
  /** First live memory, else the one the thread was begun with, else the first in the trash; empty for none. */
  readonly rootMemoryId: string;
  /** Last live memory. */
  readonly currentMemoryId: string | null;
  readonly resolutionMemoryId: string | null;
  /** As stated by the user; where nothing was, the different topics of its live memories in their order. */
  readonly topics: readonly string[];
  readonly memoryCount: number;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  /** Oldest first; in lists they are left out. */
  readonly moves?: readonly NarrativeMove[];
}

/** The fields that a change reads: not topics and moves, which take longest to read. */
export type NarrativeHead = Omit<Narrative, 'topics' | 'moves'>;
