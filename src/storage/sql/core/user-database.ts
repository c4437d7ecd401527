import type { Kysely } from 'kysely';
import type { Database } from './schema.ts';
import type { UserQuery } from './user-query.ts';
import { UserTables, type View, view } from './user-tables.ts';

/** Something that is counted over all that a user has. */
export interface Count<T extends object> {
  readonly name: string;
  of(db: UserDatabase): Promise<T>;
}

/** What keeps counts. */
export interface Counts {
  get<T extends object>(db: UserDatabase, count: Count<T>): Promise<T>;
}

/** A database as seen by the stores of one user: every statement that can be made here is that user's own. */
export class UserDatabase {
  readonly userId: number;
  /** For statements whose text depends on what is asked. */
  readonly tables: UserTables;
  readonly #db: Kysely<Database>;

  readonly #hides: View;
  readonly #counts: Counts | undefined;

  /** @param counts without it, in a transaction, all is counted each time */
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

  /** Counts again only where something of the user changed. A memory that is written during it may be counted or not. */
  counted<T extends object>(count: Count<T>): Promise<T> {
    return this.#counts ? this.#counts.get(this, count) : count.of(this);
  }
}
