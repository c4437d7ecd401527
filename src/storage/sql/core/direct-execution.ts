import type { CompiledQuery, Kysely } from 'kysely';
import { pauseAfter } from '../../../lib/breather.ts';
import type { Database } from './schema.ts';

/** Runs a statement and gives its rows. */
export type Execute = <R>(sql: string, parameters: readonly unknown[]) => R[];

const direct = new WeakMap<Kysely<Database>, Execute>();

/**
 * Names the way past Kysely's executor for an engine that needs none of what it does: on SQLite there is one
 * connection and no plugin, and handing it round cost more than most statements.
 */
export function executeDirectly(db: Kysely<Database>, execute: Execute): void {
  direct.set(db, execute);
}

/**
 * Runs a compiled statement with these values in the place of its own. An engine that answers at once lets other work pass
 * first, where this turn of the event loop has taken long: what is read by many statements would else take the loop.
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
