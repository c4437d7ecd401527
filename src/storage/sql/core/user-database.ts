import type { Kysely } from 'kysely';
import type { Database } from './schema.ts';
import type { UserQuery } from './user-query.ts';
import { UserTables, type View, view } from './user-tables.ts';

/** A database as seen by the stores of one user: every statement that can be made here is that user's own. */
export class UserDatabase {
  readonly userId: number;
  /** For statements whose text depends on what is asked. */
  readonly tables: UserTables;
  readonly #db: Kysely<Database>;

  readonly #hides: View;

  constructor(db: Kysely<Database>, userId: number, hides: View = view.ofReaders) {
    this.#db = db;
    this.userId = userId;
    this.#hides = hides;
    this.tables = new UserTables(db, userId, hides);
  }

  all<A extends object, R>(query: UserQuery<A, R>, args: A): Promise<R[]> {
    return query.run(this.#db, { userId: this.userId, hides: this.#hides }, args);
  }

  async first<A extends object, R>(query: UserQuery<A, R>, args: A): Promise<R | undefined> {
    const rows = await query.run(this.#db, { userId: this.userId, hides: this.#hides }, args);
    return rows[0];
  }
}
