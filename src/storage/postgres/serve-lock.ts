import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type Kysely, sql } from 'kysely';
import { AppError } from '../../domain/shared/errors.ts';
import { backOffMs } from '../../lib/async.ts';
import type { FailureReporter } from '../../lib/failure-log.ts';
import { rest } from '../../lib/throttle.ts';
import { advisoryLocks } from '../sql/advisory-locks.ts';
import type { Database } from '../sql/core/schema.ts';
import type { LockConnections } from './lock-connections.ts';

/** How long a process that was killed counts as serving. */
const leaseMs = 20_000;
const renewEveryMs = 5000;
/** A process stops asking this long before its lease ends, so that its last statements are answered before. */
const stopEarlyMs = 2000;
/** Delays before a failed renewal is repeated, doubled each time. */
const retryMs = { first: 100, most: renewEveryMs };
/** Leases that ended before are of no use. */
const forgetAfterMs = 86_400_000;
const namedMax = 10;

/**
 * Processes that serve, each with the version of tables that its program knows, the time at which it no longer
 * serves unless it says so again, and since when it has without a gap; in epoch milliseconds.
 */
export const leaseStatements = [
  `CREATE TABLE serving_leases (
    owner TEXT COLLATE "C" PRIMARY KEY,
    place TEXT NOT NULL,
    version INTEGER NOT NULL,
    expires_at BIGINT NOT NULL,
    since BIGINT NOT NULL
  )`,
];

const now = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
const needsNewer = 'EXISTS (SELECT FROM schema_migrations WHERE needs > $1)';
const renewal = `INSERT INTO serving_leases AS own (version, owner, place, expires_at, since)
  SELECT $1, $2, $3, ${now} + ${leaseMs}, ${now}
  WHERE pg_try_advisory_xact_lock_shared(${advisoryLocks.serving}) AND NOT ${needsNewer}
  ON CONFLICT (owner) DO UPDATE SET expires_at = EXCLUDED.expires_at,
    since = CASE WHEN own.expires_at < ${now} THEN EXCLUDED.since ELSE own.since END
  RETURNING NOT EXISTS (
    SELECT FROM serving_leases AS other
    WHERE other.expires_at > ${now} AND (other.since, other.owner) < (own.since, own.owner)
  ) AS "isFirst"`;
const liveLeases = `SELECT place, expires_at::float8 AS "expiresAt" FROM serving_leases
  WHERE expires_at > ${now} ORDER BY place LIMIT ${namedMax}`;

/**
 * Processes that serve a database have a lease each; a process that
 * replaces its content needs that there is none (ADR 11).
 */
export interface ServeLock {
  /** @throws without it: another process may be replacing the store */
  assertLocked(): void;
  /**
   * Resolves while this process has served for longer than all others that do, or when `signal` aborts: so one of
   * them does what concerns the whole store. Two may for some seconds, after the first could not renew its lease.
   */
  leading?(signal: AbortSignal): Promise<void>;
  release(): Promise<void>;
}

const beingReplaced = 'A `memoryd restore` is replacing what this database holds. Start when it is done.';

const tooOld =
  'A newer version of memoryd changed the tables of this database, which this version does not know. Start the newer one.';

interface LiveLease {
  readonly place: string;
  readonly expiresAt: number;
}

function assertUnserved(leases: readonly LiveLease[]): void {
  if (leases.length === 0) return;
  const list = leases.map(({ place, expiresAt }) => `${place} (until ${new Date(expiresAt).toISOString()})`);
  throw new Error(
    `A \`memoryd serve\` is using this database: ${list.join(', ')}. Stop all of them first; one that was killed counts until the time named.`,
  );
}

/** @throws Error while a process serves or writes */
export async function lockAlone(locks: LockConnections): Promise<ServeLock> {
  // Looked at before the lock is tried, which refuses renewals and writes for a moment.
  assertUnserved(await locks.query<LiveLease>(liveLeases));
  const lock = await locks.take('serving');
  if (!lock) throw new Error('A command is writing to this database. Start again when it is done.');
  try {
    assertUnserved(await lock.query<LiveLease>(liveLeases));
  } catch (error) {
    await lock.release();
    throw error;
  }
  return {
    assertLocked: () => {
      const cause = lock.broken;
      if (cause) throw new Error('The connection to the database broke. Start the command again.', { cause });
    },
    release: () => lock.release(),
  };
}

/**
 * Called under the lock of migrations, before one that programs of a version below `needs` would not get on with.
 * @throws Error while one of them serves
 */
export async function assertAllKnow(tx: Kysely<Database>, needs: number): Promise<void> {
  const { rows } = await sql<{
    has: boolean;
  }>`SELECT to_regclass('serving_leases') IS NOT NULL AS has`.execute(tx);
  if (!rows[0].has) return;
  const older = await sql<{ place: string }>`SELECT place FROM serving_leases
    WHERE expires_at > ${sql.raw(now)} AND version < ${needs} ORDER BY place LIMIT ${namedMax}`.execute(tx);
  if (older.rows.length === 0) return;
  const list = older.rows.map(({ place }) => place).join(', ');
  throw new Error(
    `An older version of memoryd serves this database, which could not go on with the tables of this one: ${list}. Stop it first.`,
  );
}

/** Renews its lease while the process serves. By the clock of this process it ends earlier than by the database's. */
class ServingLease implements ServeLock {
  readonly #owner = randomUUID();
  readonly #version: number;
  readonly #locks: LockConnections;
  readonly #failures: FailureReporter;
  #validUntil = 0;
  #timer: NodeJS.Timeout | undefined;
  #renewing: Promise<void> | undefined;
  #released = false;
  #isFirst = false;

  constructor(version: number, locks: LockConnections, failures: FailureReporter) {
    this.#version = version;
    this.#locks = locks;
    this.#failures = failures;
  }

  /** @throws 503 */
  assertLocked(): void {
    if (performance.now() < this.#validUntil) return;
    throw new AppError('STORAGE_UNAVAILABLE', 'The database is being connected to again.', { retryAfter: 1 });
  }

  async leading(signal: AbortSignal): Promise<void> {
    while (!this.#isFirst && !signal.aborted) await rest(renewEveryMs, signal);
  }

  /** @throws Error while the store is being replaced */
  async take(): Promise<void> {
    await this.#locks.query(`DELETE FROM serving_leases WHERE expires_at < ${now} - ${forgetAfterMs}`);
    await this.#renew();
    this.#renewIn(renewEveryMs, 0);
  }

  async release(): Promise<void> {
    this.#released = true;
    clearTimeout(this.#timer);
    await this.#renewing;
    // Without a database that answers, the lease ends by itself.
    await this.#locks
      .query('DELETE FROM serving_leases WHERE owner = $1', [this.#owner])
      .catch(() => undefined);
  }

  async #renew(): Promise<void> {
    const asked = performance.now();
    const values = [this.#version, this.#owner, `process ${process.pid} on ${hostname()}`];
    const rows = await this.#locks.query<{ isFirst: boolean }>(renewal, values);
    this.#isFirst = rows[0]?.isFirst ?? false;
    this.#validUntil = rows.length === 0 ? 0 : asked + leaseMs - stopEarlyMs;
    if (rows.length > 0) return;
    const [{ isOld }] = await this.#locks.query<{ isOld: boolean }>(`SELECT ${needsNewer} AS "isOld"`, [
      this.#version,
    ]);
    throw new Error(isOld ? tooOld : beingReplaced);
  }

  #renewIn(ms: number, failures: number): void {
    if (this.#released) return;
    this.#timer = setTimeout(() => {
      this.#renewing = this.#renew().then(
        () => this.#renewIn(renewEveryMs, 0),
        (error: unknown) => {
          this.#failures.failed('serve_lock', error);
          this.#renewIn(backOffMs(failures + 1, retryMs), failures + 1);
        },
      );
    }, ms).unref();
  }
}

/** @param version of the tables that this program knows. @throws Error while the store is being replaced */
export async function lockForServing(
  version: number,
  locks: LockConnections,
  failures: FailureReporter,
): Promise<ServeLock> {
  const lease = new ServingLease(version, locks, failures);
  await lease.take();
  return lease;
}

/**
 * Takes the serving lock, shared, until the transaction ends,
 * so that the store is not replaced during it; a boolean.
 */
export const joinServing = sql<boolean>`pg_try_advisory_xact_lock_shared(${sql.lit(advisoryLocks.serving)})`;

/** Keeps the store from being replaced until the transaction ends. @throws Error while it is */
export async function joinAtStart(tx: Kysely<Database>): Promise<void> {
  if (!(await isJoinedBy(tx))) throw new Error(beingReplaced);
}

/** @throws 503 if the store is being replaced */
export function assertJoined(isJoined: boolean): void {
  if (isJoined) return;
  const message = 'What the database holds is being replaced by `memoryd restore`.';
  throw new AppError('STORAGE_UNAVAILABLE', message, { retryAfter: 5 });
}

/** A transaction that belongs to no user, during which the store cannot be replaced. @throws 503 */
export function inSharedTransaction<T>(
  db: Kysely<Database>,
  body: (tx: Kysely<Database>) => Promise<T>,
): Promise<T> {
  return db.transaction().execute(async (tx) => {
    assertJoined(await isJoinedBy(tx));
    return body(tx);
  });
}

/** As `joinServing`, by a statement without a table, which Citus never sends to a worker. */
export async function isJoinedBy(tx: Kysely<Database>): Promise<boolean> {
  const { rows } = await sql<{ isJoined: boolean }>`SELECT ${joinServing} AS "isJoined"`.execute(tx);
  return rows[0].isJoined;
}
