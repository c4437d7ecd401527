import type { EpochMs } from '../shared/time.ts';

export const narrativeStates = ['open', 'resolved', 'reopened', 'superseded'] as const;
export type NarrativeState = (typeof narrativeStates)[number];

export const narrativeTitleLengthMax = 500;
/** Maximum moves shown with a thread: the latest ones; older ones stay stored. */
export const movesShownMax = 100;

/** State and resolution of a thread from a time on. */
export interface NarrativeMove {
  readonly state: NarrativeState;
  /** Null if none was given or if it is no longer live. */
  readonly resolutionMemoryId: string | null;
  readonly at: EpochMs;
}

/** An ordered thread of memories. Only its live memories are visible; one in the trash keeps its place. */
export interface Narrative {
  readonly id: string;
  readonly title: string;
  readonly state: NarrativeState;
  /**
   * First live memory; if there is none, the memory that started
   * the thread, else the first in the trash, else empty.
   */
  readonly rootMemoryId: string;
  /** Last live memory. */
  readonly currentMemoryId: string | null;
  readonly resolutionMemoryId: string | null;
  /** As stated by the user; by default the topics of its live memories, in their order. */
  readonly topics: readonly string[];
  readonly memoryCount: number;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  /** Oldest first; absent in lists. */
  readonly moves?: readonly NarrativeMove[];
}

/** The fields that a change reads: without topics and moves, which take longest to read. */
export type NarrativeHead = Omit<Narrative, 'topics' | 'moves'>;
