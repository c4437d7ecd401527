import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import type { FailureLog } from '../../lib/failure-log.ts';
import { rest } from '../../lib/throttle.ts';
import { advisoryLocks } from '../sql/advisory-locks.ts';
import { assertCurrent, migrate } from '../sql/core/migrate.ts';
import type { Database } from '../sql/core/schema.ts';
import type { SpaceRegistry } from '../sql/vectors/space-registry.ts';
import { openFirstSpaces } from '../sql/vectors/space-table.ts';
import { distributeNewTables, isWhollyDistributed } from './citus/distributed-tables.ts';
import { isPassing } from './errors.ts';
import { LockConnections } from './lock-connections.ts';
import { postgresMigrations } from './migrations.ts';
import { createPool, kyselyOver } from './pool.ts';
import { assertAllKnow, joinAtStart, lockAlone, lockForServing, type ServeLock } from './serve-lock.ts';

export interface PostgresOptions {
  readonly url: string;
  readonly connections: number;
  /**
   * Purpose: to serve, to serve reads alone, to replace the content
   * while no process serves, or (default) to work while others serve.
   */
  readonly use?: 'serve' | 'read' | 'alone' | 'beside';
  /** Makes the tables in a database that is empty, each of users with as many hash partitions: 2 to 256. */
  readonly partitions?: number;
  /** Opens the store to distribute its tables over the nodes of Citus: the database must have the extension. */
  readonly isDistributing?: boolean;
  /** Whether statements have names; `auto` (default): unless a pooler is between or tables are split or distributed. */
  readonly statements?: 'auto' | 'named' | 'unnamed';
  /** Absent: an unreachable server is an error of the driver. */
  readonly wait?: ServerWait;
}

export interface OpenStore {
  readonly db: Kysely<Database>;
  readonly locks: LockConnections;
  /** Whether a connection is a session of the server; false behind a pooler. */
  readonly hasSessions: boolean;
  /** Whether Citus keeps the rows of each user on one of several nodes. */
  readonly isDistributed: boolean;
  /** Whether each table of users has parts. */
  readonly isSplit: boolean;
  /** Present if it was opened to serve. */
  readonly lock?: ServeLock;
  close(): Promise<void>;
}

/** Connects to the database and brings its tables up to date. */
export async function openStore(
  options: PostgresOptions,
  { spaces, failures }: { readonly spaces: SpaceRegistry; readonly failures: FailureLog },
): Promise<OpenStore> {
  const { url, connections, wait, statements = 'auto', use = 'beside' } = options;
  if (wait) await awaitServer(url, wait);
  let lock: ServeLock | undefined;
  const look = await lookAtServer(url);
  const { hasSessions, partitions, isReplica, isDistributed } = look;
  if (isReplica && use !== 'read') throw new DatabaseUnfitError(replicaOnlyReads);
  if (options.isDistributing) assertCanBeDistributed(look);
  const isWhole = partitions === 0 && !isDistributed;
  const db = kyselyOver(createPool(url, connections, failures, hasSessions), {
    assertOpen: () => lock?.assertLocked(),
    hasNames: statements === 'auto' ? hasSessions && isWhole : statements === 'named',
    hasSessions,
  });
  const locks = new LockConnections(url);
  const close = async () => {
    await db.destroy();
    await lock?.release();
    await locks.end();
  };
  try {
    const migrations = postgresMigrations(options.partitions ?? partitions);
    const say = wait?.say ?? (() => undefined);
    if (use === 'read') await assertCurrent(db, migrations, say);
    else
      await whileLocksLack(say, () =>
        db.transaction().execute(async (tx) => {
          await sql`SELECT pg_advisory_xact_lock(${advisoryLocks.migration}::bigint)`.execute(tx);
          if (use !== 'beside') await joinAtStart(tx);
          if (options.partitions !== undefined) await assertEmpty(tx);
          // Requests of other processes wait for a migration that waits for a lock, or for each other's.
          await sql`SET LOCAL lock_timeout = ${sql.lit(migrationLockMs)}`.execute(tx);
          const run = isDistributed && !options.isDistributing ? migrateDistributed : migrate;
          await run(tx, migrations, {
            onNewer: use === 'serve' ? say : undefined,
            assertAllKnow: (needs) => assertAllKnow(tx, needs),
          });
          await openFirstSpaces(tx, spaces.targets, Date.now());
        }),
      );
    if (use === 'serve') lock = await lockForServing(migrations.length, locks, failures);
    if (use === 'alone') lock = await lockAlone(locks);
    await spaces.refresh(db);
    const isSplit = (options.partitions ?? partitions) > 0;
    return { db, locks, hasSessions, isDistributed, isSplit, lock, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Less than `deadlock_timeout`, 1 s: the migration gives way, not a request. */
const migrationLockMs = 500;
const migrationWaitMs = 60_000;
const lockLost: ReadonlySet<string | undefined> = new Set(['55P03', '40P01']);

/** Begins again, up to a minute, while requests of other processes hold locks that it needs. */
async function whileLocksLack(say: (line: string) => void, begin: () => Promise<void>): Promise<void> {
  const end = performance.now() + migrationWaitMs;
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await begin();
    } catch (error) {
      const { code } = ((error as Error).cause ?? {}) as { code?: string };
      if (!lockLost.has(code) || performance.now() >= end) throw error;
      if (isFirst)
        say(
          `Waiting up to ${migrationWaitMs / 1000} s for requests of other processes, to migrate the tables.`,
        );
      await rest(retryMs);
    }
  }
}

interface ServerLook {
  /** False behind a pooler as PgBouncer, where each end of a session states another id. */
  readonly hasSessions: boolean;
  /** Of each table of users; 0: not split. A plan that is kept for all users opens each part. */
  readonly partitions: number;
  readonly isReplica: boolean;
  readonly hasCitus: boolean;
  /** Wholly or in part. */
  readonly isDistributed: boolean;
}

/** Looks by which way this process reaches the server, whether it writes, and whether tables are split or distributed. */
async function lookAtServer(url: string): Promise<ServerLook> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectTimeoutMs });
  // A failure rejects a call below; an error without a listener ends the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<Omit<ServerLook, 'hasSessions' | 'isDistributed'> & { pid: number }>(`
      SELECT pg_backend_pid() AS pid, pg_is_in_recovery() AS "isReplica", (
        SELECT count(*)::int FROM pg_partitioned_table JOIN pg_inherits ON inhparent = partrelid
        WHERE partrelid = to_regclass('memories')
      ) AS partitions, to_regclass('pg_dist_partition') IS NOT NULL AS "hasCitus"`);
    const { processID } = client as unknown as { processID: number };
    const [{ pid, ...look }] = rows;
    const isDistributed = look.hasCitus && (await client.query(anyDistributed)).rows.length > 0;
    return { ...look, hasSessions: pid === processID, isDistributed };
  } finally {
    // A connection that was never made cannot be ended.
    await client.end().catch(() => undefined);
  }
}

/** @throws DatabaseUnfitError */
function assertCanBeDistributed({ hasCitus, partitions }: ServerLook): void {
  if (!hasCitus)
    throw new DatabaseUnfitError(
      'The database does not have the extension Citus. An administrator makes it on each server (CREATE EXTENSION citus) and names the workers to the coordinator (citus_add_node): docs/scale.md says how.',
    );
  if (partitions > 0)
    throw new DatabaseUnfitError(
      'The tables of this database are split by user already (`npx memoryd database create --partitions`). Restore a backup into a database with Citus that is not, and distribute that.',
    );
}

/** Distributes the tables that migrations add, in the same transaction. @throws DatabaseUnfitError */
async function migrateDistributed(...given: Parameters<typeof migrate>): Promise<void> {
  const [tx] = given;
  if (!(await isWhollyDistributed(tx)))
    throw new DatabaseUnfitError(
      'The tables of this database are distributed in part: `npx memoryd database distribute` was interrupted. Run it again.',
    );
  // Foreign keys to a table on all nodes are not made while connections work in parallel.
  await sql`SET LOCAL citus.multi_shard_modify_mode TO 'sequential'`.execute(tx);
  await migrate(...given);
  await distributeNewTables(tx);
}

/** The database does not suit the purpose of opening it; the message is a sentence for the operator. */
class DatabaseUnfitError extends Error {
  override readonly name = 'DatabaseUnfitError';
}

const replicaOnlyReads =
  'The database is a replica, which takes no writes: serve it with `memoryd serve --read-only`, name its primary in MEMORYD_DATABASE_URL, or make it the primary (`pg_ctl promote`).';

/** Extensions may be there already: a role that may not make them needs an operator to. @throws DatabaseUnfitError */
async function assertEmpty(tx: Kysely<Database>): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm', 'S') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
    ORDER BY name LIMIT 1`.execute(tx);
  if (rows.length === 0) return;
  throw new DatabaseUnfitError(
    `The database is not empty: it has ${rows[0].name}. Make a new database (CREATE DATABASE) and name it in MEMORYD_DATABASE_URL; \`npx memoryd restore\` moves a backup of a store into it.`,
  );
}

const anyDistributed = `
  SELECT FROM pg_dist_partition WHERE logicalrelid IN (to_regclass('users'), to_regclass('memories')) LIMIT 1`;
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
