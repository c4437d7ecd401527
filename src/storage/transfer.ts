import type { UserReaders } from '../domain/shared/stores.ts';
import type { EpochMs } from '../domain/shared/time.ts';
import type { OnProgress } from './upkeep.ts';

export type CellValue = string | number | null;

/** A user, before the user's rows. */
export interface UserHead {
  readonly publicId: string;
  readonly name: string;
  readonly email: string;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  readonly rev: number;
  readonly epoch: number;
  /** Range of the document numbers of the rows; 1 and 0 without any. */
  readonly firstDoc: number;
  readonly lastDoc: number;
}

/** A row without its `user_id`, as the store has it. */
export interface TableRow {
  readonly table: string;
  readonly row: Readonly<Record<string, CellValue>>;
}

/** The records of a user follow the head, in an order in which they can be written. */
export type TransferRecord = { readonly user: UserHead } | TableRow;

export interface ReadOptions {
  /** Name of one user; absent: all users, with their API keys. */
  readonly user?: string;
  readonly onProgress: OnProgress;
}

export interface LoadOptions {
  /**
   * New name of the single user to read; undefined: all
   * users keep their names and replace those of the store.
   */
  readonly as?: string;
  readonly at: EpochMs;
}

/** Checks records one by one; returns the fault that makes a record unfit for this store, or undefined. */
export interface RecordCheck {
  check(record: unknown): string | undefined;
  /** @returns, after the last record, the faults of the last user's records as a whole */
  end(): readonly string[];
}

/**
 * Copies whole users from store to store. Data that follows from records is
 * rebuilt instead of copied: keyword index, vocabulary, vectors, counters.
 */
export interface Transfer {
  /** Version of the tables. */
  schema(): Promise<number>;
  /**
   * Passes everything to `take`, in one state of the store, with one page of rows in memory.
   * @throws 404 if the user does not exist
   */
  read(options: ReadOptions, take: (record: TransferRecord) => Promise<void>): Promise<void>;
  /**
   * Runs `body` with the readers of one user, in one state of the store.
   * @throws 404 if the user does not exist
   */
  readRecords<T>(userName: string, body: (readers: UserReaders) => Promise<T>): Promise<T>;
  /** @param withKeys whether API keys may be among the records */
  newCheck(options: { readonly withKeys: boolean }): Promise<RecordCheck>;
  /** @throws if the user exists and has records */
  assertEmpty(userName: string): Promise<void>;
  /**
   * Writes in short transactions, under names that no user can have; the last
   * transaction activates the users. An interrupted load leaves nothing visible,
   * and the next one erases its rest. Documents get new numbers in the same order.
   * @throws if the user has records by then, or another load of the same user began
   */
  load(records: AsyncIterable<TransferRecord>, options: LoadOptions): Promise<void>;
  /** Erases the remains of failed loads that could not erase them themselves, as on a full disk. */
  eraseLeft(now: EpochMs, signal?: AbortSignal): Promise<void>;
}
