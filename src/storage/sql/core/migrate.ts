import { type Kysely, sql } from 'kysely';
import type { Database } from './schema.ts';

/** A numbered step forward, never edited once released. All missing ones run in one transaction. */
export interface Migration {
  readonly id: number;
  readonly name: string;
  /**
   * Set if it takes away or changes what programs use (ADR 47): number of the version since which none does.
   * Absent: it only adds, so that programs of the version before go on.
   */
  readonly needs?: number;
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

interface StoreVersion {
  /** Number of the newest migration that was applied. */
  readonly found: number;
  /** Number of the version that a program has to know at least. */
  readonly needs: number;
}

async function versionOf(db: Kysely<Database>, migrations: readonly Migration[]): Promise<StoreVersion> {
  const { rows } = await sql<{
    id: number;
    name: string;
    needs: number;
  }>`SELECT id, name, needs FROM schema_migrations ORDER BY id`.execute(db);
  if (rows.length > 0 && rows[0].name !== migrations[0].name)
    throw new StoreVersionError(
      'The store was written by a version of memoryd from before the first release, which this program does not open. Run the version of memoryd that last wrote it.',
    );
  return { found: rows.at(-1)?.id ?? 0, needs: Math.max(1, ...rows.map(({ needs }) => needs)) };
}

/** Says that a service may go on with a store that is newer than its program. */
export type OnNewer = (line: string) => void;

/**
 * @param onNewer absent for a program that writes or reads the whole store, and would miss tables that it does not know
 * @throws StoreVersionError if the program does not fit
 */
function assertFits({ found, needs }: StoreVersion, known: number, onNewer: OnNewer | undefined): void {
  if (found <= known) return;
  const versions = `The store is of version ${found}, this program knows up to ${known}`;
  const remedy = 'Run the version of memoryd that last wrote it, or a newer one.';
  if (needs > known)
    throw new StoreVersionError(`${versions}, and the store needs one that knows ${needs}. ${remedy}`);
  if (!onNewer) throw new StoreVersionError(`${versions}: only its \`serve\` works with it. ${remedy}`);
  onNewer(`${versions}, and works with it until the upgrade is complete.`);
}

interface MigrateOptions {
  readonly onNewer?: OnNewer;
  /** Called before migrations run after which a program has to know version `needs`. @throws Error if one runs that does not */
  readonly assertAllKnow?: (needs: number) => Promise<void>;
}

/**
 * Applies the missing migrations. The caller runs it inside a transaction that
 * holds the engine's migration lock, so two processes that start together do
 * not both apply a step, and a failing step leaves the store unchanged.
 * @param migrations numbered from 1 without gaps
 * @throws StoreVersionError if a newer version of this program wrote the store, and this one does not fit
 */
export async function migrate(
  tx: Kysely<Database>,
  migrations: readonly Migration[],
  { onNewer, assertAllKnow }: MigrateOptions = {},
): Promise<void> {
  await sql`CREATE TABLE IF NOT EXISTS schema_migrations (id INTEGER PRIMARY KEY, name TEXT NOT NULL, needs INTEGER NOT NULL)`.execute(
    tx,
  );
  const version = await versionOf(tx, migrations);
  assertFits(version, migrations.length, onNewer);
  const missing = migrations.slice(version.found);
  const needs = Math.max(1, ...missing.map((migration) => migration.needs ?? 1));
  if (needs > version.needs) await assertAllKnow?.(needs);
  for (const { id, name, needs: own = 1, run } of missing) {
    await run(tx);
    await sql`INSERT INTO schema_migrations (id, name, needs) VALUES (${id}, ${name}, ${own})`.execute(tx);
  }
}

/** For a service that may not change the store. @throws StoreVersionError if the program does not fit, or migrations are missing */
export async function assertCurrent(
  db: Kysely<Database>,
  migrations: readonly Migration[],
  onNewer: OnNewer,
): Promise<void> {
  const { rows } = await sql<{
    has: boolean;
  }>`SELECT to_regclass('schema_migrations') IS NOT NULL AS has`.execute(db);
  const version = rows[0].has ? await versionOf(db, migrations) : { found: 0, needs: 1 };
  const [found, known] = [version.found, migrations.length];
  if (found >= known) return assertFits(version, known, onNewer);
  const state =
    found === 0
      ? 'The database has no store yet'
      : `The store is of version ${found}, this program needs ${known}`;
  throw new StoreVersionError(
    `${state}, and a service that only reads does not change it. Start \`memoryd serve\` of this version on the primary first.`,
  );
}
