import type { Kysely } from 'kysely';
import type { AnswerWriter, IdempotencyStore, StoredAnswer } from '../../domain/shared/idempotency-store.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import type { Database } from './schema.ts';
import { UserTables } from './user-tables.ts';

export class SqlAnswerWriter implements AnswerWriter {
  readonly #tables: UserTables;

  constructor(tables: UserTables) {
    this.#tables = tables;
  }

  async save(key: string, { fingerprint, status, body, createdAt }: StoredAnswer): Promise<boolean> {
    const inserted = await this.#tables
      .insertInto('idempotency_keys', { key, fingerprint, status, body, created_at: createdAt })
      .onConflict((conflict) => conflict.columns(['user_id', 'key']).doNothing())
      .returning('key')
      .execute();
    return inserted.length > 0;
  }
}

export interface IdempotencyStoreParts {
  readonly read: Kysely<Database>;
  readonly write: <T>(body: (db: Kysely<Database>) => Promise<T>) => Promise<T>;
}

export class SqlIdempotencyStore implements IdempotencyStore {
  readonly #parts: IdempotencyStoreParts;

  constructor(parts: IdempotencyStoreParts) {
    this.#parts = parts;
  }

  async find(user: UserRef, key: string): Promise<StoredAnswer | undefined> {
    const tables = new UserTables(this.#parts.read, user.id);
    const row = await tables
      .selectFrom('idempotency_keys')
      .selectAll()
      .where('key', '=', key)
      .executeTakeFirst();
    return (
      row && { fingerprint: row.fingerprint, status: row.status, body: row.body, createdAt: row.created_at }
    );
  }

  async save(user: UserRef, key: string, answer: StoredAnswer): Promise<void> {
    await this.#parts.write((db) => new SqlAnswerWriter(new UserTables(db, user.id)).save(key, answer));
  }

  async prune(time: number): Promise<void> {
    await this.#parts.write((db) =>
      db.deleteFrom('idempotency_keys').where('created_at', '<', time).execute(),
    );
  }
}
