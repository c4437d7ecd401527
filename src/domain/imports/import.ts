import type { Memory } from '../memories/memory.ts';
import type { ExternalRecords } from '../shared/external-id.ts';
import type { Page, PageRequest } from '../shared/page.ts';
import type { EpochMs } from '../shared/time.ts';

/** Records that an import was sent so far, by outcome; a record that is sent again counts again. */
export interface ImportCounts {
  readonly created: number;
  /** Found by their `externalId`, and as they were imported before. */
  readonly unchanged: number;
  /** Changed since they were imported before: each got a new version. */
  readonly updated: number;
  /** Changed there and edited here since: left as they are here. */
  readonly keptEdits: number;
  /** Deleted here before, and left in the trash. */
  readonly inTrash: number;
  readonly refused: number;
}

export const noCounts = { created: 0, unchanged: 0, updated: 0, keptEdits: 0, inTrash: 0, refused: 0 };

/** Other records than memories that an import created. */
export interface RecordCounts {
  readonly conversations: number;
  readonly facts: number;
  readonly artifacts: number;
}

/** One import of memories from elsewhere, by which they can be taken back together. */
export interface Import extends ImportCounts, RecordCounts {
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

/** An entry of the trash. */
export interface RecordEntry {
  readonly id: string;
  readonly kind: string;
}

export interface ImportReader {
  find(id: string): Promise<Import | undefined>;
  /** The newest first. */
  list(request: PageRequest): Promise<Page<Import>>;
  /** Live memories that it created, in the order of writing, at most `limit`. */
  memoriesOf(id: string, limit: number): Promise<Memory[]>;
  /** The version of a memory that an import wrote last, else its first one. */
  lastVersionOf(seq: number): Promise<Memory | undefined>;
  /** The newest version of a chain that an import created, if it is live. */
  lastOfChain(chainId: string): Promise<Memory | undefined>;
  /** Live memories after a `seq`, at most `limit`, that it did not create, but changed. */
  changedBy(id: string, after: number, limit: number): Promise<Memory[]>;
  /** The versions that it wrote of such a memory, the newest first, at most 20, and the one before all of them. */
  versionsOf(
    id: string,
    seq: number,
  ): Promise<{ readonly own: readonly Memory[]; readonly before: Memory | undefined }>;
  /** Ids of records that it created and that are shown, at most `limit`; of conversations, those without memories. */
  recordsOf(id: string, kind: keyof RecordCounts, limit: number): Promise<string[]>;
  /** Entries of the trash, at most `limit`, of such records that were deleted at `since` or later. */
  recordEntriesOf(id: string, since: EpochMs, limit: number): Promise<RecordEntry[]>;
  /** Entries of the trash, at most `limit`, of memories that it created and that were deleted at `since` or later. */
  entriesOf(id: string, since: EpochMs, limit: number): Promise<string[]>;
}

export interface ImportWriter extends ImportReader, ExternalRecords {
  insert(made: Import): Promise<void>;
  /** Adds to its counts. */
  count(id: string, counts: ImportCounts, at: EpochMs): Promise<void>;
  /** Adds one to the count of a kind. */
  countRecord(id: string, kind: keyof RecordCounts, at: EpochMs): Promise<void>;
  setUndone(id: string, at: EpochMs | null): Promise<void>;
}
