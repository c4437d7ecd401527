import { sql } from 'kysely';
import {
  type IdempotencyStore,
  type ResponseWriter,
  type StoredResponse,
  unfinished,
} from '../../../domain/shared/idempotency-store.ts';
import type { UserRef } from '../../../domain/shared/user-ref.ts';
import { chunksOf } from '../../../lib/collections.ts';
import type { UserDatabase } from '../core/user-database.ts';
import { UserTables } from '../core/user-tables.ts';
import type { SqlDriver } from '../sql-driver.ts';
import { usersWith } from './users-with.ts';

const responsesAtOnce = 500;
const idsAtOnce = 50;
const usersAtOnce = 100;

async function findResponse(tables: UserTables, key: string): Promise<StoredResponse | undefined> {
  const row = await tables
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('key', '=', key)
    .executeTakeFirst();
  if (!row) return undefined;
  const { fingerprint, status, body, etag, created_at: createdAt } = row;
  return { fingerprint, status, body, etag, createdAt };
}

export class SqlResponseWriter implements ResponseWriter {
  readonly #tables: UserTables;

  constructor({ tables }: UserDatabase) {
    this.#tables = tables;
  }

  find(key: string): Promise<StoredResponse | undefined> {
    return findResponse(this.#tables, key);
  }

  async save(key: string, response: StoredResponse): Promise<StoredResponse> {
    const { fingerprint, status, body, etag, createdAt } = response;
    const content = { status, body, etag };
    const saved = await this.#tables
      .insertInto('idempotency_keys', { key, fingerprint, ...content, created_at: createdAt })
      .onConflict((conflict) =>
        conflict
          .columns(['user_id', 'key'])
          .doUpdateSet(content)
          .where('idempotency_keys.status', '=', unfinished)
          .where('idempotency_keys.fingerprint', '=', fingerprint),
      )
      .returning('key')
      .executeTakeFirst();
    return saved ? response : ((await this.find(key)) ?? response);
  }

  async remove(key: string): Promise<void> {
    await this.#tables.deleteFrom('idempotency_keys').where('key', '=', key).execute();
  }

  async eraseWith(recordId: string, after: string): Promise<string | undefined> {
    const rows = await this.#tables
      .selectFrom('idempotency_keys')
      .select('key')
      .where('key', '>', after)
      .orderBy('key')
      .limit(responsesAtOnce)
      .execute();
    const last = rows.at(-1)?.key;
    if (last === undefined) return undefined;
    await this.#tables
      .deleteFrom('idempotency_keys')
      .where('key', '>', after)
      .where('key', '<=', last)
      .where('body', 'like', `%${recordId}%`)
      .execute();
    return rows.length < responsesAtOnce ? undefined : last;
  }
}

/** Erases stored responses that contain the id of any of these records. */
export async function eraseResponses({ tables }: UserDatabase, recordIds: readonly string[]): Promise<void> {
  for (const chunk of chunksOf(recordIds, idsAtOnce))
    await tables
      .deleteFrom('idempotency_keys')
      .where((stored) => stored.or(chunk.map((id) => stored('body', 'like', `%${id}%`))))
      .execute();
}

type IdempotencyStoreDeps = Pick<SqlDriver, 'read' | 'writeOf' | 'isDistributed'>;

export class SqlIdempotencyStore implements IdempotencyStore {
  readonly #deps: IdempotencyStoreDeps;

  constructor(deps: IdempotencyStoreDeps) {
    this.#deps = deps;
  }

  find(user: UserRef, key: string): Promise<StoredResponse | undefined> {
    return findResponse(new UserTables(this.#deps.read, user.id), key);
  }

  /** User by user, each under their lock: those who write or erase responses take it as well. */
  async prune(time: number): Promise<void> {
    const { read, writeOf, isDistributed } = this.#deps;
    const old = { table: 'idempotency_keys', condition: sql`created_at < ${time}`, isDistributed } as const;
    for (let after = 0, users: number[]; ; after = users[users.length - 1]) {
      users = await usersWith(read, { ...old, after, limit: usersAtOnce });
      for (const user of users)
        await writeOf(user, (db) =>
          new UserTables(db, user).deleteFrom('idempotency_keys').where('created_at', '<', time).execute(),
        );
      if (users.length < usersAtOnce) return;
    }
  }
}
