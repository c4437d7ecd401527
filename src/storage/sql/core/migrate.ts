import { type Kysely, sql } from 'kysely';
import type { Database } from './schema.ts';

/** A numbered step forward, never edited once released. All missing ones run in one transaction. */
export interface Migration {
  readonly id: number;
  readonly name: string;
  run(tx: Kysely<Database>): Promise<void>;
}

/** The `run` of a migration that consists of SQL. */
export function statements(list: readonly string[]): Migration['run'] {
  return async (tx) => {
    for (const statement of list) await sql.raw(statement).execute(tx);
  };
}

/** Column types of migrations, as each engine writes them. */
export interface ColumnTypes {
  readonly text: string;
  readonly integer: string;
  readonly real: string;
  readonly bytes: string;
  /** Primary key that increments itself and never reuses a number. */
  readonly rowId: string;
  /** Owner of the row. */
  readonly user: string;
  /** Suffix for a table whose rows are kept in order of their key, if the engine can. */
  readonly clustered: string;
}

/** The store has tables that this program does not know. */
export class StoreVersionError extends Error {
  override readonly name = 'StoreVersionError';
}

/** Number of the newest migration that was applied. @throws StoreVersionError */
async function versionOf(db: Kysely<Database>, migrations: readonly Migration[]): Promise<number> {
  const { rows } = await sql<{
    id: number;
    name: string;
  }>`SELECT id, name FROM schema_migrations ORDER BY id`.execute(db);
  const known = migrations.length;
  const found = rows.at(-1)?.id ?? 0;
  if (rows.length > 0 && rows[0].name !== migrations[0].name)
    throw new StoreVersionError(
      'The store was written by a version of memoryd from before the first release, which this program does not open. Run the version of memoryd that last wrote it.',
    );
  if (found > known)
    throw new StoreVersionError(
      `The store is of version ${found}, this program knows up to ${known}. Run the version of memoryd that last wrote it, or a newer one.`,
    );
  return found;
}

/**
 * Applies the missing migrations. The caller runs it inside a transaction that
 * holds the engine's migration lock, so two processes that start together do
 * not both apply a step, and a failing step leaves the store unchanged.
 * @param migrations numbered from 1 without gaps
 * @throws StoreVersionError if another version of this program wrote the store, which this one does not know
 */
export async function migrate(tx: Kysely<Database>, migrations: readonly Migration[]): Promise<void> {
  await sql`CREATE TABLE IF NOT EXISTS schema_migrations (id INTEGER PRIMARY KEY, name TEXT NOT NULL)`.execute(
    tx,
  );
  const found = await versionOf(tx, migrations);
  for (const { id, name, run } of migrations.slice(found)) {
    await run(tx);
    await sql`INSERT INTO schema_migrations (id, name) VALUES (${id}, ${name})`.execute(tx);
  }
}

/** For a process that may not change the store. @throws StoreVersionError if migrations are missing in it */
export async function assertCurrent(db: Kysely<Database>, migrations: readonly Migration[]): Promise<void> {
  const { rows } = await sql<{
    has: boolean;
  }>`SELECT to_regclass('schema_migrations') IS NOT NULL AS has`.execute(db);
  const found = rows[0].has ? await versionOf(db, migrations) : 0;
  if (found === migrations.length) return;
  const state =
    found === 0
      ? 'The database has no store yet'
      : `The store is of version ${found}, this program needs ${migrations.length}`;
  throw new StoreVersionError(
    `${state}, and a service that only reads does not change it. Start \`memoryd serve\` of this version on the primary first.`,
  );
}
