import type { Page, PageRequest } from '../shared/page.ts';
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
  /** Topics stated by the user; by default those of its live memories, in their order. */
  readonly topics: readonly string[];
  readonly memoryCount: number;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  /** Oldest first; absent in lists. */
  readonly moves?: readonly NarrativeMove[];
}

/** The fields that a change reads: without topics and moves, which take longest to read. */
export type NarrativeHead = Omit<Narrative, 'topics' | 'moves'>;

export interface NarrativeListQuery extends PageRequest {
  readonly state?: NarrativeState;
  /** Threads with any of these topics. */
  readonly topics?: readonly string[];
}

/** Reads one user's live threads. */
export interface NarrativeReader {
  find(id: string): Promise<Narrative | undefined>;
  findHead(id: string): Promise<NarrativeHead | undefined>;
  /** Last changed first. */
  list(query: NarrativeListQuery): Promise<Page<Narrative>>;
  /** Docs of the live memories of a thread, in its order. */
  memoryDocs(id: string, page: PageRequest): Promise<Page<number>>;
}

export interface NewNarrative {
  readonly id: string;
  readonly title: string;
  readonly rootMemoryId: string;
  /** Stated topics; if empty, the thread has the topics of its memories. */
  readonly topics: readonly string[];
  readonly at: EpochMs;
}

/** Absent members stay as they are. */
export interface NarrativeChange {
  readonly title?: string;
  /** An empty list removes the stated topics. */
  readonly topics?: readonly string[];
  /** A change of state or resolution, stored with its time. */
  readonly move?: { readonly state: NarrativeState; readonly resolutionMemoryId?: string | null };
}

/**
 * Changes one user's threads. A thread is a list of slots, one per memory, numbered from 0
 * without gaps, including those of memories in the trash; an `index` counts live memories only.
 */
export interface NarrativeWriter extends NarrativeReader {
  /** Creates an open thread with one memory. */
  insert(narrative: NewNarrative): Promise<void>;
  /** Records a change of the thread, even if `change` is empty. */
  change(id: string, change: NarrativeChange, at: EpochMs): Promise<void>;
  trash(id: string, at: EpochMs): Promise<void>;
  /** Restores a thread at its former place in lists. */
  restore(id: string): Promise<void>;
  /** Whether the memory is in the thread and live. */
  contains(id: string, memoryId: string): Promise<boolean>;
  /**
   * Inserts a memory without a slot before the live memory at `index`;
   * after all slots if `index` is undefined or beyond the end.
   */
  insertMemory(id: string, memoryId: string, index: number | undefined): Promise<void>;
  /** Removes the slot of a memory, if it has one. */
  removeMemory(id: string, memoryId: string): Promise<void>;
  /** Deletes a thread for good, with the topics that it alone names. */
  erase(id: string): Promise<void>;
}
