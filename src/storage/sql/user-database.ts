import type { Kysely } from 'kysely';
import type { Database } from './schema.ts';
import type { UserQuery } from './user-query.ts';
import { UserTables } from './user-tables.ts';

/** A database as seen by the stores of one user: every statement that can be made here is that user's own. */
export class UserDatabase {
  readonly userId: number;
  /** For statements whose text depends on what is asked. */
  readonly tables: UserTables;
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>, userId: number) {
    this.#db = db;
    this.userId = userId;
    this.tables = new UserTables(db, userId);
  }

  all<A extends Readonly<Record<string, unknown>>, R>(query: UserQuery<A, R>, args: A): Promise<R[]> {
    return query.run(this.#db, this.userId, args);
  }

  async first<A extends Readonly<Record<string, unknown>>, R>(
    query: UserQuery<A, R>,
    args: A,
  ): Promise<R | undefined> {
    const rows = await query.run(this.#db, this.userId, args);
    return rows[0];
  }
}
