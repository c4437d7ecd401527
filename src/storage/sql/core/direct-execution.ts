import type { CompiledQuery, Kysely } from 'kysely';
import type { Database } from './schema.ts';

/** Runs a compiled statement and gives its rows. */
export type Execute = <R>(query: CompiledQuery) => R[];

const direct = new WeakMap<Kysely<Database>, Execute>();

/**
 * Names the way past Kysely's executor for an engine that needs none of what it does: on SQLite there is one
 * connection and no plugin, and handing it round cost more than most statements.
 */
export function executeDirectly(db: Kysely<Database>, execute: Execute): void {
  direct.set(db, execute);
}

export async function executeCompiled<R>(db: Kysely<Database>, query: CompiledQuery): Promise<R[]> {
  const execute = direct.get(db);
  if (execute) return execute<R>(query);
  return (await db.executeQuery<R>(query as CompiledQuery<R>)).rows;
}
