import type {
  DeleteQueryBuilder,
  DeleteResult,
  InsertQueryBuilder,
  InsertResult,
  Kysely,
  SelectQueryBuilder,
  UpdateQueryBuilder,
  UpdateResult,
} from 'kysely';
import type { Database, UserTable } from './schema.ts';

type Empty = Record<never, never>;
export type UserRow<T extends UserTable> = Omit<Database[T], 'user_id'>;

/**
 * The one place where queries are scoped: stores of user data build every statement from here, so each begins with
 * the condition on `user_id`, and every inserted row carries it. Joins add `user_id` to their own condition.
 */
export class UserTables {
  readonly #db: Kysely<Database>;
  readonly #userId: number;

  constructor(db: Kysely<Database>, userId: number) {
    this.#db = db;
    this.#userId = userId;
  }

  selectFrom<T extends UserTable>(table: T): SelectQueryBuilder<Database, T, Empty> {
    const column = `${table}.user_id` as 'memories.user_id';
    const query = this.#db.selectFrom(table as 'memories').where(column, '=', this.#userId);
    return query as unknown as SelectQueryBuilder<Database, T, Empty>;
  }

  updateTable<T extends UserTable>(table: T): UpdateQueryBuilder<Database, T, T, UpdateResult> {
    const query = this.#db.updateTable(table as 'memories').where('user_id', '=', this.#userId);
    return query as unknown as UpdateQueryBuilder<Database, T, T, UpdateResult>;
  }

  deleteFrom<T extends UserTable>(table: T): DeleteQueryBuilder<Database, T, DeleteResult> {
    const query = this.#db.deleteFrom(table as 'memories').where('user_id', '=', this.#userId);
    return query as unknown as DeleteQueryBuilder<Database, T, DeleteResult>;
  }

  /** Many rows with one statement; at most 1,000. */
  insertAll<T extends UserTable>(
    table: T,
    rows: readonly UserRow<T>[],
  ): InsertQueryBuilder<Database, T, InsertResult> {
    const values = rows.map((row) => ({ user_id: this.#userId, ...row })) as never;
    return this.#db.insertInto(table).values(values) as unknown as InsertQueryBuilder<
      Database,
      T,
      InsertResult
    >;
  }

  insertInto<T extends UserTable>(table: T, row: UserRow<T>): InsertQueryBuilder<Database, T, InsertResult> {
    const values = { user_id: this.#userId, ...row } as never;
    return this.#db.insertInto(table).values(values) as unknown as InsertQueryBuilder<
      Database,
      T,
      InsertResult
    >;
  }
}
