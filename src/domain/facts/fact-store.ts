import type { Memory } from '../memories/memory.ts';
import type { Page, PageRequest } from '../shared/page.ts';
import type { IndexedDocument } from '../shared/text-indexer.ts';
import type { EpochMs } from '../shared/time.ts';
import type { Fact, FactSort, FactsOfMemory } from './fact.ts';

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
  count(): Promise<number>;
  /** In order of id, from the first after `id` on. */
  listAfter(id: string, limit: number): Promise<Fact[]>;
  /**
   * What versions of memories say (at most 1,000), by their `doc`, stated and derived; with `asOf` the facts that were there
   * then, as they were.
   */
  listByVersions(
    versions: readonly Pick<Memory, 'id' | 'doc'>[],
    asOf?: EpochMs,
  ): Promise<ReadonlyMap<number, FactsOfMemory>>;
}

export interface FactWriter extends FactReader {
  /** The sources must be memories of the user. */
  insert(fact: Fact, document: IndexedDocument): Promise<void>;
  /**
   * Overwrites words, confidence and `updatedAt`, and keeps the former words as a version; the sources stay. What was derived
   * counts as corrected from then on.
   */
  replace(fact: Fact, document: IndexedDocument): Promise<void>;
  trash(id: string, at: EpochMs): Promise<void>;
  restore(id: string): Promise<void>;
  /** Memories that say it or said it, those in the trash included. */
  sourceIds(id: string): Promise<string[]>;
}
