import type { Kysely } from 'kysely';
import type { OAuthModel, OAuthRecord, OAuthStore, RecordBound } from '../../../domain/oauth/oauth-store.ts';
import { groupBy } from '../../../lib/collections.ts';
import type { Database } from '../core/schema.ts';
import type { SqlDriver } from '../sql-driver.ts';

const trimmedAtOnce = 100;
const prunedAtOnce = 1000;
const grantsMax = 1000;
const columns = { grantId: 'grant_id', keyId: 'key_id' } as const;

const toRecord = (row: Database['oauth_records']): OAuthRecord => ({
  model: row.model,
  id: row.id,
  payload: row.payload,
  grantId: row.grant_id,
  keyId: row.key_id,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  consumedAt: row.consumed_at,
});

async function trim(db: Kysely<Database>, { model, of, expiringBy, max }: RecordBound): Promise<void> {
  const all = db.selectFrom('oauth_records').select('id').where('model', '=', model);
  const owned = of === undefined ? all : all.where(columns[of.column], '=', of.value);
  const bounded = expiringBy === undefined ? owned : owned.where('expires_at', '<=', expiringBy);
  const beyond = await bounded
    .orderBy('expires_at', 'desc')
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(trimmedAtOnce)
    .offset(max)
    .execute();
  if (beyond.length === 0) return;
  const ids = beyond.map(({ id }) => id);
  await db.deleteFrom('oauth_records').where('model', '=', model).where('id', 'in', ids).execute();
}

export class SqlOAuthStore implements OAuthStore {
  readonly #deps: Pick<SqlDriver, 'read' | 'write'>;

  constructor(deps: Pick<SqlDriver, 'read' | 'write'>) {
    this.#deps = deps;
  }

  async find(model: OAuthModel, id: string, at: number): Promise<OAuthRecord | undefined> {
    const row = await this.#deps.read
      .selectFrom('oauth_records')
      .selectAll()
      .where('model', '=', model)
      .where('id', '=', id)
      .where('expires_at', '>', at)
      .executeTakeFirst();
    return row && toRecord(row);
  }

  async listGrants(userId: number, at: number): Promise<OAuthRecord[]> {
    const rows = await this.#deps.read
      .selectFrom('oauth_records')
      .innerJoin('api_keys', 'api_keys.id', 'oauth_records.key_id')
      .selectAll('oauth_records')
      .where('api_keys.user_id', '=', userId)
      .where('api_keys.revoked_at', 'is', null)
      .where('oauth_records.model', '=', 'Grant')
      .where('oauth_records.expires_at', '>', at)
      .orderBy('oauth_records.created_at', 'desc')
      .orderBy('oauth_records.id')
      .limit(grantsMax)
      .execute();
    return rows.map(toRecord);
  }

  endGrant(userId: number, id: string): Promise<boolean> {
    return this.#deps.write(async (db) => {
      const { numDeletedRows } = await db
        .deleteFrom('oauth_records')
        .where('model', '=', 'Grant')
        .where('id', '=', id)
        .where('key_id', 'in', (keys) =>
          keys.selectFrom('api_keys').select('id').where('user_id', '=', userId),
        )
        .executeTakeFirstOrThrow();
      if (numDeletedRows === 0n) return false;
      await db.deleteFrom('oauth_records').where('grant_id', '=', id).execute();
      return true;
    });
  }

  async save(record: OAuthRecord, bounds: readonly RecordBound[]): Promise<void> {
    const { model, id, payload } = record;
    const content = {
      payload,
      grant_id: record.grantId,
      key_id: record.keyId,
      expires_at: record.expiresAt,
      consumed_at: record.consumedAt,
    };
    await this.#deps.write(async (db) => {
      await db
        .insertInto('oauth_records')
        .values({ model, id, ...content, created_at: record.createdAt })
        .onConflict((conflict) => conflict.columns(['model', 'id']).doUpdateSet(content))
        .execute();
      for (const bound of bounds) await trim(db, bound);
    });
  }

  async consume(model: OAuthModel, id: string, at: number): Promise<boolean> {
    const { numUpdatedRows } = await this.#deps.write((db) =>
      db
        .updateTable('oauth_records')
        .set({ consumed_at: at })
        .where('model', '=', model)
        .where('id', '=', id)
        .where('consumed_at', 'is', null)
        .executeTakeFirstOrThrow(),
    );
    return numUpdatedRows > 0n;
  }

  async extend(model: OAuthModel, id: string, until: number): Promise<void> {
    await this.#deps.write((db) =>
      db
        .updateTable('oauth_records')
        .set({ expires_at: until })
        .where('model', '=', model)
        .where('id', '=', id)
        .where('expires_at', '<', until)
        .execute(),
    );
  }

  async remove(model: OAuthModel, id: string): Promise<void> {
    await this.#deps.write((db) =>
      db.deleteFrom('oauth_records').where('model', '=', model).where('id', '=', id).execute(),
    );
  }

  async removeOfGrant(grantId: string): Promise<void> {
    await this.#deps.write((db) => db.deleteFrom('oauth_records').where('grant_id', '=', grantId).execute());
  }

  async prune(at: number): Promise<void> {
    while ((await this.#pruneSome(at)) === prunedAtOnce);
  }

  /** @returns how many it removed */
  #pruneSome(at: number): Promise<number> {
    return this.#deps.write(async (db) => {
      const expired = await db
        .selectFrom('oauth_records')
        .select(['model', 'id'])
        .where('expires_at', '<=', at)
        .orderBy('expires_at')
        .limit(prunedAtOnce)
        .execute();
      for (const [model, records] of groupBy(expired, (record) => record.model)) {
        const ids = records.map(({ id }) => id);
        // Not one that was extended since.
        await db
          .deleteFrom('oauth_records')
          .where('model', '=', model)
          .where('id', 'in', ids)
          .where('expires_at', '<=', at)
          .execute();
      }
      return expired.length;
    });
  }
}
