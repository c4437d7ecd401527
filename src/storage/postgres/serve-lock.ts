import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { AppError } from '../../domain/shared/errors.ts';
import { backOffMs } from '../../lib/async.ts';
import type { FailureReporter } from '../../lib/failure-log.ts';
import { advisoryLocks } from '../sql/advisory-locks.ts';
import type { Database } from '../sql/core/schema.ts';

/**
 * Delays before the lock is requested again after its connection broke: none, then these, doubled each time.
 */
const retryMs = { first: 100, most: 5000 };

/**
 * Processes that serve a database share a lock; a process
 * that replaces its content has it exclusively (ADR 11).
 */
export interface ServeLock {
  /** @throws without the lock: another process may be replacing the store */
  assertLocked(): void;
  release(): Promise<void>;
}

/** @throws Error while a process serves */
export async function lockAlone(url: string): Promise<ServeLock> {
  const connection = await LockConnection.take(url, 'alone');
  if (!connection)
    throw new Error(
      'A `memoryd serve` is using this database, or a command is writing to it. Stop all of them first.',
    );
  return {
    assertLocked: () => {
      const cause = connection.broken;
      if (cause) throw new Error('The connection to the database broke. Start the command again.', { cause });
    },
    release: () => connection.end(),
  };
}

/** Keeps the lock while the process serves, and takes it again if its connection breaks. */
class SharedServeLock implements ServeLock {
  readonly #url: string;
  readonly #failures: FailureReporter;
  #connection: LockConnection | undefined;
  #retry: NodeJS.Timeout | undefined;
  #released = false;

  constructor(url: string, failures: FailureReporter) {
    this.#url = url;
    this.#failures = failures;
  }

  /** @throws 503 */
  assertLocked(): void {
    if (this.#connection) return;
    throw new AppError('STORAGE_UNAVAILABLE', 'The database is being connected to again.', { retryAfter: 1 });
  }

  /** @throws Error while a process has the lock exclusively */
  async take(): Promise<void> {
    const connection = await LockConnection.take(this.#url, 'shared');
    if (!connection)
      throw new Error('A `memoryd restore` is replacing what this database holds. Start when it is done.');
    if (this.#released) return connection.end();
    this.#connection = connection;
    connection.whenBroken((error) => this.#lost(connection, error));
  }

  async release(): Promise<void> {
    this.#released = true;
    clearTimeout(this.#retry);
    await this.#connection?.end();
    this.#connection = undefined;
  }

  #lost(connection: LockConnection, error: Error): void {
    if (connection !== this.#connection) return;
    this.#connection = undefined;
    this.#failures.failed('serve_lock', error);
    this.#takeAgain(0);
  }

  #takeAgain(failures: number): void {
    if (this.#released) return;
    const take = () =>
      void this.take().catch((error: unknown) => {
        this.#failures.failed('serve_lock', error);
        this.#takeAgain(failures + 1);
      });
    this.#retry = setTimeout(take, backOffMs(failures, retryMs));
    this.#retry.unref();
  }
}

/** @throws Error while a process has the lock exclusively */
export async function lockForServing(url: string, failures: FailureReporter): Promise<ServeLock> {
  const lock = new SharedServeLock(url, failures);
  await lock.take();
  return lock;
}

/**
 * Takes the serving lock, shared, until the transaction ends,
 * so that the store is not replaced during it; a boolean.
 */
export const joinServing = sql<boolean>`pg_try_advisory_xact_lock_shared(${sql.lit(advisoryLocks.serving)})`;

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
    const { rows } = await sql<{ isJoined: boolean }>`SELECT ${joinServing} AS "isJoined"`.execute(tx);
    assertJoined(rows[0].isJoined);
    return body(tx);
  });
}

const connectTimeoutMs = 5000;
const keepAliveMs = 10_000;

/** A separate connection that has the serving lock until it ends or breaks. */
class LockConnection {
  readonly #client: pg.Client;
  #broken: Error | undefined;
  #tell: ((error: Error) => void) | undefined;

  private constructor(url: string) {
    this.#client = new pg.Client({
      connectionString: url,
      application_name: 'memoryd lock',
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveMs,
    });
    // Listens until the end of the connection: a broken one reports several errors (the server's, then its
    // end), and an error without a listener ends the process.
    this.#client.on('error', (error) => {
      this.#broken ??= error;
      this.#tell?.(error);
    });
  }

  /** @returns undefined if another process has the lock in a mode that excludes `mode` */
  static async take(url: string, mode: 'shared' | 'alone'): Promise<LockConnection | undefined> {
    const connection = new LockConnection(url);
    await connection.#client.connect();
    try {
      if (await connection.#lock(mode)) return connection;
    } catch (error) {
      await connection.end();
      throw error;
    }
    await connection.end();
    return undefined;
  }

  /** The error that broke the connection, if any. */
  get broken(): Error | undefined {
    return this.#broken;
  }

  /** Calls `tell` when the connection breaks, or now if it is broken already. */
  whenBroken(tell: (error: Error) => void): void {
    if (this.#broken) tell(this.#broken);
    else this.#tell = tell;
  }

  async end(): Promise<void> {
    this.#tell = undefined;
    // If it cannot be ended, it is gone already, and the server releases its locks.
    await this.#client.end().catch(() => undefined);
  }

  async #lock(mode: 'shared' | 'alone'): Promise<boolean> {
    const lock = mode === 'shared' ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock';
    const { rows } = await this.#client.query<{ locked: boolean }>(`SELECT ${lock}($1) AS locked`, [
      advisoryLocks.serving,
    ]);
    return rows[0].locked;
  }
}
