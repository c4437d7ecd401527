import { type Kysely, sql } from 'kysely';
import type { TokenCounter } from '../../../domain/derivation/llm-server.ts';
import type { Database } from '../core/schema.ts';
import type { SqlDriver } from '../sql-driver.ts';

const prefix = 'llm tokens ';

/** A row of `store_counters` for the day. */
export class SqlTokenCounter implements TokenCounter {
  readonly #driver: Pick<SqlDriver, 'read' | 'write'>;

  constructor(driver: Pick<SqlDriver, 'read' | 'write'>) {
    this.#driver = driver;
  }

  addTokens(day: string, tokens: number): Promise<number> {
    return this.#driver.write(async (db) => {
      const name = prefix + day;
      await forgetBefore(db, name);
      await sql`INSERT INTO store_counters (name, value) VALUES (${name}, ${tokens})
        ON CONFLICT (name) DO UPDATE SET value = store_counters.value + EXCLUDED.value`.execute(db);
      return readTokens(db, day);
    });
  }

  tokensOf(day: string): Promise<number> {
    return readTokens(this.#driver.read, day);
  }
}

/** Compared here: databases order by languages, and clocks of processes differ. */
async function forgetBefore(db: Kysely<Database>, name: string): Promise<void> {
  const counters = await db
    .selectFrom('store_counters')
    .select('name')
    .where('name', 'like', `${prefix}%`)
    .execute();
  const past = counters.filter((counter) => counter.name < name).map((counter) => counter.name);
  if (past.length > 0) await db.deleteFrom('store_counters').where('name', 'in', past).execute();
}

async function readTokens(db: Kysely<Database>, day: string): Promise<number> {
  const row = await db
    .selectFrom('store_counters')
    .select('value')
    .where('name', '=', prefix + day)
    .executeTakeFirst();
  return Number(row?.value ?? 0);
}
