import type { Memory } from '../memories/memory.ts';
import type { Page, PageRequest } from '../shared/page.ts';
import type { IndexedDocument } from '../shared/text-indexer.ts';
import type { EpochMs } from '../shared/time.ts';
import type { Fact, FactSort, FactsOfMemory } from './fact.ts';

export interface FactListQuery extends PageRequest {
  /** Only facts with this source. */
  readonly memoryId?: string;
  readonly sortBy: FactSort;
  readonly order: 'asc' | 'desc';
}

/**
 * Reads one user's facts. A fact with sources is visible while
 * one of them is live, so it returns with a restored memory.
 */
export interface FactReader {
  find(id: string): Promise<Fact | undefined>;
  /** Facts with these ids, in no fixed order; unknown ids are left out. */
  findMany(ids: readonly string[]): Promise<Fact[]>;
  list(query: FactListQuery): Promise<Page<Fact>>;
  count(): Promise<number>;
  /** Facts with greater ids, in order of id. */
  listAfter(id: string, limit: number): Promise<Fact[]>;
  /**
   * Facts of versions (at most 1,000), stated and derived,
   * by their `doc`; with `asOf` as they were at that time.
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
   * Overwrites words, confidence and `updatedAt`; the former words are kept as a
   * version, and the sources stay. A derived fact counts as corrected from then on.
   */
  replace(fact: Fact, document: IndexedDocument): Promise<void>;
  trash(id: string, at: EpochMs): Promise<void>;
  restore(id: string): Promise<void>;
  /** Deletes a fact for good. Of a derived one the row stays, without its words, so that derivation does not write it again. */
  erase(id: string): Promise<void>;
  /** Memories that state it or stated it, those in the trash included. */
  sourceIds(id: string): Promise<string[]>;
}
