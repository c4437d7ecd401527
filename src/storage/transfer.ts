import type { EpochMs } from '../domain/shared/time.ts';
import type { OnProgress } from './upkeep.ts';

export type CellValue = string | number | null;

/** A user, in front of the rows of theirs. */
export interface UserHead {
  readonly publicId: string;
  readonly name: string;
  readonly email: string;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  readonly rev: number;
  readonly epoch: number;
  /** Document numbers of the rows lie between these; 1 and 0 where there are none. */
  readonly firstDoc: number;
  readonly lastDoc: number;
}

/** A row without its `user_id`, as the store has it. */
export interface TableRow {
  readonly table: string;
  readonly row: Readonly<Record<string, CellValue>>;
}

/** A user's records come after their head, in an order in which they can be written. */
export type TransferRecord = { readonly user: UserHead } | TableRow;

export interface ReadOptions {
  /** One user by name; absent: all users, with their API keys. */
  readonly user?: string;
  readonly onProgress: OnProgress;
}

export interface LoadOptions {
  /** The name of the one user that is read; absent: every user under their own name, in the place of all that is there. */
  readonly as?: string;
  readonly at: EpochMs;
}

/** Tells of each record in turn what makes it unfit for this store; undefined where it fits. */
export interface RecordCheck {
  check(record: unknown): string | undefined;
  /** Tells, once all records were checked, what is wrong with those of the last user taken together. */
  end(): readonly string[];
}

/**
 * Copies whole users from store to store. What follows from records is not copied but rebuilt: keyword index,
 * vocabulary, vectors, counters.
 */
export interface Transfer {
  /** The version of the tables. */
  schema(): Promise<number>;
  /**
   * Hands over everything as of one moment, a page of rows in memory at a time.
   * @throws 404 where there is no such user
   */
  read(options: ReadOptions, take: (record: TransferRecord) => Promise<void>): Promise<void>;
  /** @param withKeys whether API keys may be among the records */
  newCheck(options: { readonly withKeys: boolean }): Promise<RecordCheck>;
  /** @throws where a user is there who has records */
  assertEmpty(userName: string): Promise<void>;
  /**
   * Writes in short transactions, under names that no one can have, and puts the users in their place in the last.
   * A load that stopped leaves nothing that is seen, and the next one takes it away. Documents get new numbers in the
   * same order.
   * @throws where the user has records by now, or another load of the same user began
   */
  load(records: AsyncIterable<TransferRecord>, options: LoadOptions): Promise<void>;
  /** Erases what loads left that failed or stopped and could not take it away themselves, as on a full disk. */
  eraseLeft(now: EpochMs, signal?: AbortSignal): Promise<void>;
}
