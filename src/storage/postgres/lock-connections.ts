import pg from 'pg';
import { advisoryLocks } from '../sql/advisory-locks.ts';
import { toStorageError } from './errors.ts';

const connectTimeoutMs = 5000;
const queryTimeoutMs = 5000;
const keepAliveMs = 10_000;
/** One renews the lease; the others hold locks of a restore or of long work. */
const connectionsMax = 3;

/** A lock that its transaction holds: until `release`, or until the connection breaks. */
export interface TransactionLock {
  /** The error that broke the connection, if any: another process may have the lock. */
  readonly broken: Error | undefined;
  query<R extends pg.QueryResultRow>(text: string): Promise<R[]>;
  /** Never fails: the server frees the lock of a connection that broke. */
  release(): Promise<void>;
}

/**
 * Connections of their own for locks and leases, which must not wait for those of the pool. No lock belongs to a
 * session: behind a pooler in transaction mode a session goes on when the process has ended, and its locks with it.
 */
export class LockConnections {
  readonly #pool: pg.Pool;
  #ended: Promise<void> | undefined;

  constructor(url: string) {
    this.#pool = new pg.Pool({
      connectionString: url,
      application_name: 'memoryd lock',
      max: connectionsMax,
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: queryTimeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveMs,
    });
    // An idle connection that breaks is replaced at the next statement, whose failure its caller sees.
    this.#pool.on('error', () => undefined);
    // An error without a listener ends the process.
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
  }

  /** One statement, a transaction of its own. @throws 503 if the database does not answer within 10 s */
  async query<R extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    try {
      return (await this.#pool.query<R>(text, [...values])).rows;
    } catch (error) {
      throw toStorageError(error);
    }
  }

  /** @returns undefined if another transaction has the lock. @throws 503 if the database does not answer */
  async take(purpose: keyof typeof advisoryLocks): Promise<TransactionLock | undefined> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw toStorageError(error);
    });
    const lock = new OpenTransaction(client);
    try {
      if (await lock.take(advisoryLocks[purpose])) return lock;
      await lock.release();
      return undefined;
    } catch (error) {
      client.release(true);
      throw toStorageError(error);
    }
  }

  /** Also of one that has ended. */
  end(): Promise<void> {
    this.#ended ??= this.#pool.end();
    return this.#ended;
  }
}

class OpenTransaction implements TransactionLock {
  readonly #client: pg.PoolClient;
  broken: Error | undefined;

  constructor(client: pg.PoolClient) {
    this.#client = client;
    client.on('error', this.#noteBroken);
  }

  readonly #noteBroken = (error: Error): void => {
    this.broken ??= error;
  };

  async take(key: number): Promise<boolean> {
    await this.#client.query('BEGIN');
    // It waits for work that takes minutes. No statement has parameters: the portal of one that has keeps its
    // snapshot until the transaction ends, for which VACUUM and indexes made concurrently would wait.
    await this.#client.query(`SELECT set_config(name, '0', true) FROM pg_settings
      WHERE name IN ('idle_in_transaction_session_timeout', 'transaction_timeout')`);
    const { rows } = await this.#client.query<{ ours: boolean }>(
      `SELECT pg_try_advisory_xact_lock(${key}) AS ours`,
    );
    return rows[0].ours;
  }

  async query<R extends pg.QueryResultRow>(text: string): Promise<R[]> {
    return (await this.#client.query<R>(text)).rows;
  }

  async release(): Promise<void> {
    const failure = await this.#client.query('ROLLBACK').then(
      () => this.broken,
      (error: Error) => error,
    );
    this.#client.off('error', this.#noteBroken);
    this.#client.release(failure !== undefined);
  }
}
