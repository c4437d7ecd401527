import type { CompiledQuery, Kysely } from 'kysely';
import { pauseAfter } from '../../../lib/breather.ts';
import type { Database } from './schema.ts';

/** Runs a statement and returns its rows. */
export type Execute = <R>(sql: string, parameters: readonly unknown[]) => R[];

const direct = new WeakMap<Kysely<Database>, Execute>();

/**
 * Registers a way past Kysely's executor for an engine that needs nothing from it: SQLite has
 * one connection and no plugin, and passing the connection on cost more than most statements.
 */
export function executeDirectly(db: Kysely<Database>, execute: Execute): void {
  direct.set(db, execute);
}

/**
 * Runs a compiled statement with these values in place of its own. On an
 * engine that returns rows synchronously, yields first if this turn of the
 * event loop has taken long: many statements in a row would block the loop.
 */
export async function executeCompiled<R>(
  db: Kysely<Database>,
  query: CompiledQuery,
  parameters: readonly unknown[],
): Promise<R[]> {
  const execute = direct.get(db);
  if (execute) {
    const pause = pauseAfter();
    if (pause) await pause;
    return execute<R>(query.sql, parameters);
  }
  return (await db.executeQuery<R>({ ...query, parameters } as CompiledQuery<R>)).rows;
}
