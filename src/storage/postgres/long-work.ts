import { type Kysely, sql } from 'kysely';
import type { advisoryLocks } from '../sql/advisory-locks.ts';
import type { Database } from '../sql/core/schema.ts';
import type { LockConnections } from './lock-connections.ts';

interface LongWorkDeps {
  readonly db: Kysely<Database>;
  readonly locks: LockConnections;
  /** Whether a connection is a session of the server; false behind a pooler. */
  readonly hasSessions: boolean;
}

interface Terms {
  readonly purpose: keyof typeof advisoryLocks;
  /** Settings of the session by name, which a pooler leaves as they are. */
  readonly settings: Readonly<Record<string, string>>;
}

/** Work that takes minutes, outside of transactions, and that one process at a time does for all. */
export class LongWork {
  readonly #deps: LongWorkDeps;

  constructor(deps: LongWorkDeps) {
    this.#deps = deps;
  }

  /** Runs `body` on a connection, unless another process does work for the same purpose. */
  async run(
    { purpose, settings }: Terms,
    body: (connection: Kysely<Database>) => Promise<void>,
  ): Promise<void> {
    const { db, locks, hasSessions } = this.#deps;
    const lock = await locks.take(purpose);
    if (!lock) return;
    try {
      await db
        .connection()
        .execute((connection) => (hasSessions ? withSettings(connection, settings, body) : body(connection)));
    } finally {
      await lock.release();
    }
  }
}

async function withSettings(
  connection: Kysely<Database>,
  settings: Terms['settings'],
  body: (connection: Kysely<Database>) => Promise<void>,
): Promise<void> {
  const names = Object.keys(settings);
  for (const name of names) await sql`SET ${sql.raw(name)} = ${sql.lit(settings[name])}`.execute(connection);
  try {
    await body(connection);
  } finally {
    for (const name of names) await sql`RESET ${sql.raw(name)}`.execute(connection);
  }
}
