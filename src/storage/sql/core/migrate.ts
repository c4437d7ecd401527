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

export class StoreTooNewError extends Error {
  constructor(found: number, known: number) {
    super(
      `The store is of version ${found}, this program knows up to ${known}. Run the version of memoryd that last wrote it, or a newer one.`,
    );
    this.name = 'StoreTooNewError';
  }
}

async function versionOf(db: Kysely<Database>): Promise<number> {
  await sql`CREATE TABLE IF NOT EXISTS schema_migrations (id INTEGER PRIMARY KEY, name TEXT NOT NULL)`.execute(
    db,
  );
  const { rows } = await sql<{ id: number | null }>`SELECT max(id) AS id FROM schema_migrations`.execute(db);
  return rows[0]?.id ?? 0;
}

/**
 * Applies the missing migrations. The caller runs it inside a transaction that
 * holds the engine's migration lock, so two processes that start together do
 * not both apply a step, and a failing step leaves the store unchanged.
 * @throws StoreTooNewError if a newer program wrote the store
 */
export async function migrate(tx: Kysely<Database>, migrations: readonly Migration[]): Promise<void> {
  const found = await versionOf(tx);
  const known = migrations.at(-1)?.id ?? 0;
  if (found > known) throw new StoreTooNewError(found, known);
  for (const migration of migrations.filter(({ id }) => id > found)) {
    await migration.run(tx);
    await sql`INSERT INTO schema_migrations (id, name) VALUES (${migration.id}, ${migration.name})`.execute(
      tx,
    );
  }
}
