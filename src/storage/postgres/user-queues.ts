import { type Kysely, sql } from 'kysely';
import type { Database } from '../sql/core/schema.ts';
import { WriteQueue } from '../sql/core/write-queue.ts';
import type { KnownTerms } from '../sql/search-index/keyword-index.ts';
import type { SqlDriver } from '../sql/sql-driver.ts';
import type { SpaceRegistry } from '../sql/vectors/space-registry.ts';
import { toStorageError } from './errors.ts';
import { PostgresKeywordWriter } from './keyword-index.ts';
import { beginPipelined } from './pipelined-transaction.ts';
import { assertJoined, isJoinedBy, joinServing } from './serve-lock.ts';

/** State of the store cached by this process, invalidated after a change by another process. */
interface CachedState {
  readonly known: KnownTerms;
  readonly spaces: SpaceRegistry;
}

interface QueueOptions {
  /**
   * Whether other processes may replace the store, so that
   * transactions must lock it; false for the process that does.
   */
  readonly isShared: boolean;
  /** Whether statements of a user run on another node than the one whose lock counts. */
  readonly isDistributed: boolean;
}

/** A transaction under the user's lock. */
interface UserTransaction {
  readonly tx: Kysely<Database>;
  /** False if the user was removed: rows that the transaction writes would never be deleted. */
  readonly isActive: boolean;
}

type UserBody<T> = (tx: Kysely<Database>, isActive: boolean) => Promise<T>;

/**
 * A write queue for each user with open writes: transactions of one user run
 * one after another, so they share commits instead of waiting for each other
 * on connections of the pool. The user's row lock excludes other processes.
 */
export class UserQueues {
  readonly #db: Kysely<Database>;
  readonly #cached: CachedState;
  readonly #options: QueueOptions;
  readonly #queues = new Map<number, WriteQueue<UserTransaction>>();

  constructor(db: Kysely<Database>, cached: CachedState, options: QueueOptions) {
    this.#options = options;
    this.#db = db;
    this.#cached = cached;
  }

  get depth(): number {
    return [...this.#queues.values()].reduce((sum, queue) => sum + queue.depth, 0);
  }

  run<T>(userId: number, body: UserBody<T>): Promise<T> {
    const queue = this.#queues.get(userId) ?? this.#open(userId);
    return queue.run(({ tx, isActive }) => body(tx, isActive));
  }

  async idle(): Promise<void> {
    await Promise.all([...this.#queues.values()].map((queue) => queue.idle()));
  }

  #open(userId: number): WriteQueue<UserTransaction> {
    const { isShared, isDistributed } = this.#options;
    const isJoined = isShared && !isDistributed ? joinServing : sql.lit(true);
    const lockUser = async (tx: Kysely<Database>): Promise<UserTransaction> => {
      if (isShared && isDistributed) assertJoined(await isJoinedBy(tx));
      const { rows } = await sql<{ isJoined: boolean; epoch: number; newest_space: number }>`
        SELECT ${isJoined} AS "isJoined", epoch, newest_space FROM user_counters WHERE user_id = ${userId} FOR UPDATE`.execute(
        tx,
      );
      // Another process may have erased terms that are cached as known here, or begun a new vector space.
      const { known, spaces } = this.#cached;
      if (!rows[0]) return { tx, isActive: false };
      assertJoined(rows[0].isJoined);
      known.enterEpoch(userId, rows[0].epoch);
      if (rows[0].newest_space > spaces.newestId) await spaces.refresh(tx);
      return { tx, isActive: true };
    };
    const queue = new WriteQueue(() => beginPipelined(this.#db, lockUser), toStorageError);
    this.#queues.set(userId, queue);
    // A queue is removed as soon as it is empty.
    setImmediate(() => void queue.idle().then(() => this.#queues.delete(userId)));
    return queue;
  }
}

/** Transactions of users with their keyword index; terms are cached as known only after the commit. */
export function indexedWrites(
  queues: UserQueues,
  options: { readonly known: KnownTerms; readonly isDistributed: boolean },
): SqlDriver['writeOf'] {
  return async (userId, body) => {
    const writers: PostgresKeywordWriter[] = [];
    const result = await queues.run(userId, (tx, isActive) => {
      const keywords = new PostgresKeywordWriter(tx, userId, options);
      writers.push(keywords);
      return body(tx, keywords, () => isActive);
    });
    writers.at(-1)?.committed();
    return result;
  };
}
