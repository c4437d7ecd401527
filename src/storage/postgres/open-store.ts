import { type Kysely, sql } from 'kysely';
import type { FailureLog } from '../../lib/failure-log.ts';
import { migrate } from '../sql/core/migrate.ts';
import type { Database } from '../sql/core/schema.ts';
import { openFirstSpaces } from '../sql/vectors/change-spaces.ts';
import type { SpaceRegistry } from '../sql/vectors/space-registry.ts';
import { advisoryLocks } from './advisory-locks.ts';
import { awaitServer, type ServerWait } from './await-server.ts';
import { postgresMigrations } from './migrations.ts';
import { createPool, kyselyOver } from './pool.ts';
import { lockAlone, lockForServing, type ServeLock } from './serve-lock.ts';
import { preparePgvector } from './vectors/pgvector.ts';

export interface PostgresOptions {
  readonly url: string;
  readonly connections: number;
  /** To serve the database, to replace its content while none serves, or (as by default) to work while others serve. */
  readonly use?: 'serve' | 'alone' | 'beside';
  /** Absent: an unreachable server is an error of the driver. */
  readonly wait?: ServerWait;
}

export interface OpenStore {
  readonly db: Kysely<Database>;
  readonly lock: ServeLock | undefined;
  /** Whether the database itself compares vectors. */
  readonly hasPgvector: boolean;
}

async function lockFor({ use, url }: PostgresOptions, failures: FailureLog): Promise<ServeLock | undefined> {
  if (use === 'serve') return lockForServing(url, failures);
  return use === 'alone' ? lockAlone(url) : undefined;
}

/** Connects to the database and brings its tables up to date. */
export async function openStore(
  options: PostgresOptions,
  { spaces, failures }: { readonly spaces: SpaceRegistry; readonly failures: FailureLog },
): Promise<OpenStore> {
  const { url, connections, wait } = options;
  if (wait) await awaitServer(url, wait);
  let lock: ServeLock | undefined;
  const db = kyselyOver(createPool(url, connections, failures), () => lock?.assertLocked());
  try {
    lock = await lockFor(options, failures);
    const hasPgvector = await db.transaction().execute(async (tx) => {
      await sql`SELECT pg_advisory_xact_lock(${advisoryLocks.migration}::bigint)`.execute(tx);
      await migrate(tx, postgresMigrations);
      await openFirstSpaces(tx, spaces.targets, Date.now());
      return preparePgvector(tx, failures);
    });
    await spaces.refresh(db);
    return { db, lock, hasPgvector };
  } catch (error) {
    await lock?.release();
    await db.destroy();
    throw error;
  }
}
