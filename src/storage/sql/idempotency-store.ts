import type { AnswerWriter, IdempotencyStore, StoredAnswer } from '../../domain/shared/idempotency-store.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import type { UpkeepParts } from './upkeep/upkeep-parts.ts';
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

export type IdempotencyStoreParts = Pick<UpkeepParts, 'read' | 'writeOf'>;

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

  /** User by user, each under their lock: those who write or erase answers take it as well. */
  async prune(time: number): Promise<void> {
    const { read, writeOf } = this.#parts;
    const users = await read
      .selectFrom('idempotency_keys')
      .select('user_id')
      .distinct()
      .where('created_at', '<', time)
      .execute();
    for (const { user_id } of users) {
      await writeOf(user_id, (db) =>
        new UserTables(db, user_id).deleteFrom('idempotency_keys').where('created_at', '<', time).execute(),
      );
    }
  }
}
