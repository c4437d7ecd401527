import { type Kysely, sql } from 'kysely';
import type { KnownTerms } from '../sql/known-terms.ts';
import type { Database } from '../sql/schema.ts';
import { WriteQueue } from '../sql/write-queue.ts';
import { toStorageError } from './errors.ts';
import { postgresGroups } from './write-group.ts';

/**
 * A write queue for each user who is writing: transactions of one user run one after another, so they share commits
 * instead of waiting for each other on connections of the pool. Other processes are kept off by the user's row lock.
 */
export class UserQueues {
  readonly #db: Kysely<Database>;
  readonly #known: KnownTerms;
  readonly #queues = new Map<number, WriteQueue<Kysely<Database>>>();

  constructor(db: Kysely<Database>, known: KnownTerms) {
    this.#db = db;
    this.#known = known;
  }

  get depth(): number {
    return [...this.#queues.values()].reduce((sum, queue) => sum + queue.depth, 0);
  }

  run<T>(userId: number, body: (tx: Kysely<Database>) => Promise<T>): Promise<T> {
    const queue = this.#queues.get(userId) ?? this.#open(userId);
    return queue.run(body);
  }

  async idle(): Promise<void> {
    await Promise.all([...this.#queues.values()].map((queue) => queue.idle()));
  }

  #open(userId: number): WriteQueue<Kysely<Database>> {
    const lockUser = async (tx: Kysely<Database>) => {
      const { rows } = await sql<{ epoch: number }>`
        SELECT epoch FROM user_counters WHERE user_id = ${userId} FOR UPDATE`.execute(tx);
      // Another process may have erased terms that this one takes for written.
      if (rows[0]) this.#known.enterEpoch(userId, rows[0].epoch);
    };
    const queue = new WriteQueue(postgresGroups(this.#db, lockUser), toStorageError);
    this.#queues.set(userId, queue);
    // Users come and go: a queue lives as long as it has something to write.
    setImmediate(() => void queue.idle().then(() => this.#queues.delete(userId)));
    return queue;
  }
}
