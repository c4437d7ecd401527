import { type Kysely, sql } from 'kysely';
import type {
  ApiKey,
  KeyScope,
  KeyStore,
  KeyWithOwner,
  KeyWriter,
  StoredKey,
} from '../../../domain/api-keys/api-key.ts';
import { chunksOf } from '../../../lib/collections.ts';
import type { ApiKeysTable, Database, UsersTable } from '../core/schema.ts';
import type { UserDatabase } from '../core/user-database.ts';
import { executeCompiled } from '../core/user-query.ts';
import type { UserTables } from '../core/user-tables.ts';
import type { SqlDriver } from '../sql-driver.ts';

const touchedAtOnce = 8;

type KeyRow = ApiKeysTable & Pick<UsersTable, 'public_id' | 'name'>;

const keyColumns = [
  'api_keys.id',
  'api_keys.user_id',
  'api_keys.prefix',
  'api_keys.secret_hash',
  'api_keys.label',
  'api_keys.scopes',
  'api_keys.created_at',
  'api_keys.expires_at',
  'api_keys.revoked_at',
  'api_keys.last_used_at',
  'api_keys.requests_per_minute',
] as const;

function toStoredKey(row: ApiKeysTable): StoredKey {
  return {
    id: row.id,
    userId: row.user_id,
    prefix: row.prefix,
    label: row.label,
    scopes: row.scopes.split(',') as KeyScope[],
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    secretHash: row.secret_hash,
    revokedAt: row.revoked_at,
    requestsPerMinute: row.requests_per_minute,
  };
}

/** `write` executes changes; on SQLite they join the group of the write queue. */
interface KeyStoreDeps extends Pick<SqlDriver, 'read' | 'write'> {
  /** Wakes what goes on with a key of the user after its request. */
  readonly wake: (userId: number) => void;
}

export class SqlKeyWriter implements KeyWriter {
  readonly #tables: UserTables;

  constructor({ tables }: UserDatabase) {
    this.#tables = tables;
  }

  async findLabelled(label: string, at: number): Promise<ApiKey | undefined> {
    const row = await this.#tables
      .selectFrom('api_keys')
      .select(keyColumns)
      .where('label', '=', label)
      .where('revoked_at', 'is', null)
      .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', at)]))
      .orderBy('created_at')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    return row && toStoredKey(row);
  }

  async insert(key: Omit<StoredKey, 'userId'>): Promise<void> {
    const row = {
      id: key.id,
      prefix: key.prefix,
      secret_hash: key.secretHash,
      label: key.label,
      scopes: key.scopes.join(','),
      created_at: key.createdAt,
      expires_at: key.expiresAt,
      revoked_at: key.revokedAt,
      last_used_at: key.lastUsedAt,
      requests_per_minute: key.requestsPerMinute,
    };
    await this.#tables.insertInto('api_keys', row).execute();
  }
}

export class SqlKeyStore implements KeyStore {
  readonly #deps: KeyStoreDeps;
  /** Compiled once, for it runs at every request. */
  readonly #byPrefix: string;

  constructor(deps: KeyStoreDeps) {
    this.#deps = deps;
    this.#byPrefix = keyByPrefix(deps.read).compile().sql;
  }

  async findByPrefix(prefix: string): Promise<KeyWithOwner | undefined> {
    const [row] = await executeCompiled<KeyRow>(this.#deps.read, this.#byPrefix, [prefix]);
    return row && toKeyWithOwner(row);
  }

  async findById(id: string): Promise<KeyWithOwner | undefined> {
    const row = await keysWithOwner(this.#deps.read).where('api_keys.id', '=', id).executeTakeFirst();
    return row && toKeyWithOwner(row);
  }

  async knownPrefixes(prefixes: readonly string[]): Promise<string[]> {
    const rows = await this.#deps.read
      .selectFrom('api_keys')
      .select('prefix')
      .where('prefix', 'in', [...prefixes])
      .execute();
    return rows.map(({ prefix }) => prefix);
  }

  async listOf(userId: number): Promise<ApiKey[]> {
    const rows = await this.#deps.read
      .selectFrom('api_keys')
      .select(keyColumns)
      .where('user_id', '=', userId)
      .where('revoked_at', 'is', null)
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .execute();
    return rows.map(toStoredKey);
  }

  async revoke(userId: number, id: string, at: number): Promise<boolean> {
    const result = await this.#deps.write((db) =>
      db
        .updateTable('api_keys')
        .set({ revoked_at: at })
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .executeTakeFirst(),
    );
    this.#deps.wake(userId);
    return Number(result.numUpdatedRows) > 0;
  }

  async touch(uses: ReadonlyMap<string, number>): Promise<void> {
    // One transaction for each key: a transaction over keys of many users and one that erases a user would
    // wait for each other.
    for (const chunk of chunksOf([...uses], touchedAtOnce)) {
      await Promise.all(
        chunk.map(([id, at]) =>
          this.#deps.write((db) =>
            db.updateTable('api_keys').set({ last_used_at: at }).where('id', '=', id).execute(),
          ),
        ),
      );
    }
  }
}

function toKeyWithOwner(row: KeyRow): KeyWithOwner {
  return { key: toStoredKey(row), owner: { id: row.user_id, publicId: row.public_id, name: row.name } };
}

function keysWithOwner(db: Kysely<Database>) {
  return db
    .selectFrom('api_keys')
    .innerJoin('users', 'users.id', 'api_keys.user_id')
    .select(keyColumns)
    .select(['users.public_id', 'users.name']);
}

function keyByPrefix(db: Kysely<Database>) {
  return keysWithOwner(db).where('api_keys.prefix', '=', sql<string>`${''}`);
}
