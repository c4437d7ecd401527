import type { Page, PageRequest } from '../shared/page.ts';
import type { EpochMs } from '../shared/time.ts';
import type { Narrative, NarrativeHead, NarrativeState } from './narrative.ts';

export interface NarrativeListQuery extends PageRequest {
  readonly state?: NarrativeState;
  /** Threads with any of these topics. */
  readonly topics?: readonly string[];
}

/** Reads of one user's live threads. */
export interface NarrativeReader {
  find(id: string): Promise<Narrative | undefined>;
  findHead(id: string): Promise<NarrativeHead | undefined>;
  /** The last changed first. */
  list(query: NarrativeListQuery): Promise<Page<Narrative>>;
  /** Docs of the live memories of a thread, in its order. */
  memoryDocs(id: string, page: PageRequest): Promise<Page<number>>;
}

export interface NewNarrative {
  readonly id: string;
  readonly title: string;
  readonly rootMemoryId: string;
  /** Stated topics; empty for those of its memories. */
  readonly topics: readonly string[];
  readonly at: EpochMs;
}

/** Absent members stay as they are. */
export interface NarrativeChange {
  readonly title?: string;
  /** An empty list takes back what was stated. */
  readonly topics?: readonly string[];
  /** A change of state or resolution, stored with its time. */
  readonly move?: { readonly state: NarrativeState; readonly resolutionMemoryId?: string | null };
}

/**
 * Changes of one user's threads. A thread is a list of slots, one a memory, dense from 0, those of memories in the
 * trash included; an `index` counts live memories only.
 */
export interface NarrativeWriter extends NarrativeReader {
  /** Makes an open thread of one memory. */
  insert(narrative: NewNarrative): Promise<void>;
  /** Also notes that the thread was changed, where `change` is empty. */
  change(id: string, change: NarrativeChange, at: EpochMs): Promise<void>;
  trash(id: string, at: EpochMs): Promise<void>;
  /** Its place in lists is the one it had. */
  restore(id: string): Promise<void>;
  /** Whether the memory is in the thread and live. */
  contains(id: string, memoryId: string): Promise<boolean>;
  /**
   * Puts a memory that has no slot yet right before the live memory at `index`; behind all slots where there is none
   * at `index`, or where `index` is undefined.
   */
  insertMemory(id: string, memoryId: string, index: number | undefined): Promise<void>;
  /** Takes away the slot of a memory, if it has one. */
  removeMemory(id: string, memoryId: string): Promise<void>;
}
