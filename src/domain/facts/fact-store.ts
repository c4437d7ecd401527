import type { Page, PageRequest } from '../shared/page.ts';
import type { IndexedDocument } from '../shared/text-indexer.ts';
import type { EpochMs } from '../shared/time.ts';
import type { Fact, FactOfMemory, FactSort } from './fact.ts';

export interface FactListQuery extends PageRequest {
  /** Only facts drawn from this memory. */
  readonly memoryId?: string;
  readonly sortBy: FactSort;
  readonly order: 'asc' | 'desc';
}

/**
 * Reads of one user's facts. A fact that was drawn from memories is seen as long as one of them is live, so what only
 * a memory in the trash says comes back with it.
 */
export interface FactReader {
  find(id: string): Promise<Fact | undefined>;
  /** Facts with these ids, in no fixed order; unknown ids are left out. */
  findMany(ids: readonly string[]): Promise<Fact[]>;
  list(query: FactListQuery): Promise<Page<Fact>>;
  /**
   * What live memories say, by their ids (at most 1,000): the surest first, at most `factsOfMemoryMax` of each; with `asOf`
   * the facts that were there then, as they were.
   */
  listByMemories(
    memoryIds: readonly string[],
    asOf?: EpochMs,
  ): Promise<ReadonlyMap<string, readonly FactOfMemory[]>>;
}

export interface FactWriter extends FactReader {
  /** The sources must be memories of the user. */
  insert(fact: Fact, document: IndexedDocument): Promise<void>;
  /** Overwrites words, confidence and `updatedAt`, and keeps the former words as a version; the sources stay. */
  replace(fact: Fact, document: IndexedDocument): Promise<void>;
  trash(id: string, at: EpochMs): Promise<void>;
  restore(id: string): Promise<void>;
  /** Memories that say it, those in the trash included. */
  sourceIds(id: string): Promise<string[]>;
}
