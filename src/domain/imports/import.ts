import type { Memory } from '../memories/memory.ts';
import type { Page, PageRequest } from '../shared/page.ts';
import type { EpochMs } from '../shared/time.ts';

/** Records that an import was sent so far, by outcome; a record that is sent again counts again. */
export interface ImportCounts {
  readonly created: number;
  /** Found by their `externalId`, and left as they are. */
  readonly unchanged: number;
  /** Deleted here before, and left in the trash. */
  readonly inTrash: number;
  readonly refused: number;
}

/** One import of memories from elsewhere, by which they can be taken back together. */
export interface Import extends ImportCounts {
  readonly id: string;
  /** Name of the file or service, 1 to 500 characters. */
  readonly source: string;
  /** Such as `jsonl`; at most 100 characters. */
  readonly format: string | null;
  readonly createdAt: EpochMs;
  /** The last time that memories came. */
  readonly updatedAt: EpochMs;
  /** The last time that it was undone; null if it is not undone. */
  readonly undoneAt: EpochMs | null;
}

export const importLengthMax = { source: 500, format: 100 };

export interface ImportReader {
  find(id: string): Promise<Import | undefined>;
  /** The newest first. */
  list(request: PageRequest): Promise<Page<Import>>;
  /** Live memories that it created, in the order of writing, at most `limit`. */
  memoriesOf(id: string, limit: number): Promise<Memory[]>;
  /** Entries of the trash, at most `limit`, of memories that it created and that were deleted at `since` or later. */
  entriesOf(id: string, since: EpochMs, limit: number): Promise<string[]>;
}

export interface ImportWriter extends ImportReader {
  insert(made: Import): Promise<void>;
  /** Adds to its counts. */
  count(id: string, counts: ImportCounts, at: EpochMs): Promise<void>;
  setUndone(id: string, at: EpochMs | null): Promise<void>;
}
