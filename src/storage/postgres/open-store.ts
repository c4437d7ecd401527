import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import type { FailureLog } from '../../lib/failure-log.ts';
import { rest } from '../../lib/throttle.ts';
import { advisoryLocks } from '../sql/advisory-locks.ts';
import { migrate } from '../sql/core/migrate.ts';
import type { Database } from '../sql/core/schema.ts';
import type { SpaceRegistry } from '../sql/vectors/space-registry.ts';
import { openFirstSpaces } from '../sql/vectors/space-table.ts';
import { isPassing } from './errors.ts';
import { postgresMigrations } from './migrations.ts';
import { mayNameStatements } from './named-statements.ts';
import { createPool, kyselyOver } from './pool.ts';
import { lockAlone, lockForServing, type ServeLock } from './serve-lock.ts';
import { preparePgvector } from './vectors/pgvector.ts';

export interface PostgresOptions {
  readonly url: string;
  readonly connections: number;
  /**
   * Purpose: to serve, to replace the content while no
   * process serves, or (default) to work while others serve.
   */
  readonly use?: 'serve' | 'alone' | 'beside';
  /** Hash partitions by user of each table of theirs, 1 to 256, where tables are made; 1 by default. */
  readonly partitions?: number;
  /** Whether statements have names; `auto` (default): unless a pooler is between or tables are split. */
  readonly statements?: 'auto' | 'named' | 'unnamed';
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
  const { url, connections, wait, statements = 'auto' } = options;
  if (wait) await awaitServer(url, wait);
  let lock: ServeLock | undefined;
  const hasNames = statements === 'auto' ? await mayNameStatements(url) : statements === 'named';
  const db = kyselyOver(createPool(url, connections, failures), {
    assertOpen: () => lock?.assertLocked(),
    hasNames,
  });
  try {
    lock = await lockFor(options, failures);
    const hasPgvector = await db.transaction().execute(async (tx) => {
      await sql`SELECT pg_advisory_xact_lock(${advisoryLocks.migration}::bigint)`.execute(tx);
      await migrate(tx, postgresMigrations(options.partitions));
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

const retryMs = 500;
const connectTimeoutMs = 5000;

/** Options of the wait for an unreachable server. */
interface ServerWait {
  /** Name of the database for the operator, without its password. */
  readonly name: string;
  /** Maximum wait for a server that is unreachable, is starting, or has no free connection. */
  readonly waitMs: number;
  /** Called once, if the wait begins. */
  readonly say: (line: string) => void;
}

/** The server cannot be used; the message is a sentence for the operator. */
class ServerAwayError extends Error {
  constructor(name: string, reason: string, cause: unknown) {
    super(`The database of ${name} ${reason}`, { cause });
    this.name = 'ServerAwayError';
  }
}

/** Resolves once the server accepts a connection. @throws ServerAwayError */
async function awaitServer(url: string, { name, waitMs, say }: ServerWait): Promise<void> {
  const end = performance.now() + waitMs;
  for (let isFirst = true; ; isFirst = false) {
    const error = await tryConnection(url);
    if (error === undefined) return;
    if (!isPassing(error) || performance.now() >= end)
      throw new ServerAwayError(name, reasonOf(error, waitMs), error);
    if (isFirst) say(`Waiting up to ${waitMs / 1000} s for the database of ${name} (${codeOf(error)}).`);
    await rest(retryMs);
  }
}

/** @returns the error, or undefined if it connected */
async function tryConnection(url: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectTimeoutMs });
  // `connect` rejects with the failure; later errors are of a connection that is not used any more.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return undefined;
  } catch (error) {
    return error;
  } finally {
    // A connection that was never made cannot be ended.
    await client.end().catch(() => undefined);
  }
}

function codeOf(error: unknown): string {
  return (error as { code?: string }).code ?? (error as Error).message;
}

function reasonOf(error: unknown, waitMs: number): string {
  const code = codeOf(error);
  if (code === '3D000') return `does not exist on its server (${code}). Create it, or correct the URL.`;
  if (code.startsWith('28')) return `refuses the login (${code}). Correct the user or the password.`;
  if (!isPassing(error)) return `cannot be used: ${(error as Error).message}`;
  const time = waitMs > 0 ? ` within ${waitMs / 1000} s` : '';
  return `cannot be reached${time} (${code}). Start its server, or correct the URL.`;
}
