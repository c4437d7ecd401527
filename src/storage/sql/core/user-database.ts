import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import { allEnded } from '../../../lib/async.ts';
import type { Database } from './schema.ts';
import { isPipelined, type UserQuery } from './user-query.ts';
import { UserTables, type View, view } from './user-tables.ts';

/** A count over all data of a user. */
export interface Count<T extends object> {
  readonly name: string;
  of(db: UserDatabase): Promise<T>;
}

/** A cache of counts. */
export interface Counts {
  get<T extends object>(db: UserDatabase, count: Count<T>): Promise<T>;
}

/** A database as the stores of one user see it: every statement made here is scoped to that user. */
export class UserDatabase {
  readonly userId: number;
  /** For statements whose text depends on the request. */
  readonly tables: UserTables;
  readonly #db: Kysely<Database>;

  readonly #hides: View;
  readonly #counts: Counts | undefined;

  /** @param counts without it, as in a transaction, everything is counted each time */
  constructor(db: Kysely<Database>, userId: number, hides: View = view.ofReaders, counts?: Counts) {
    this.#db = db;
    this.userId = userId;
    this.#hides = hides;
    this.#counts = counts;
    this.tables = new UserTables(db, userId, hides);
  }

  all<A extends object, R>(query: UserQuery<A, R>, args: A): Promise<R[]> {
    return query.run(this.#db, { userId: this.userId, hides: this.#hides }, args);
  }

  async first<A extends object, R>(query: UserQuery<A, R>, args: A): Promise<R | undefined> {
    const rows = await query.run(this.#db, { userId: this.userId, hides: this.#hides }, args);
    return rows[0];
  }

  /**
   * Runs acts that need no result of each other. In a pipelined transaction the first statement of each is sent, in this
   * order if it is a `UserQuery`, before any is answered; elsewhere each act waits for the one before it.
   * @returns their results @throws the first error in time, once all that began have ended
   */
  async pipeline<T extends readonly unknown[]>(
    acts: readonly [...{ [K in keyof T]: () => Promise<T[K]> }],
  ): Promise<T> {
    if (isPipelined(this.#db)) return allEnded<T>(acts.map((act) => act()) as never);
    const results: unknown[] = [];
    for (const act of acts) results.push(await act());
    return results as unknown as T;
  }

  /**
   * Counts again only if something of the user changed. A
   * memory written at the same time may or may not be counted.
   */
  counted<T extends object>(count: Count<T>): Promise<T> {
    return this.#counts ? this.#counts.get(this, count) : count.of(this);
  }
}

/** A store of one kind of record, for one user. */
export abstract class UserRecords {
  // Only declared: some twenty classes extend this one, and
  // V8 caches a field that a class defines for at most four.
  declare protected readonly db: UserDatabase;

  constructor(db: UserDatabase) {
    this.db = db;
  }
}

/** Number of rows of a query. */
export async function countRows<DB, TB extends keyof DB>(
  rows: SelectQueryBuilder<DB, TB, Record<never, never>>,
): Promise<number> {
  const counted = rows.select(sql<number>`count(*)`.as('count')).$castTo<{ count: number | string }>();
  const { count } = await counted.executeTakeFirstOrThrow();
  return Number(count);
}
