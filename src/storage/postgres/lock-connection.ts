import pg from 'pg';
import { advisoryLocks } from './advisory-locks.ts';

const connectTimeoutMs = 5000;
const keepAliveMs = 10_000;

/** A separate connection that has the serving lock until it ends or breaks. */
export class LockConnection {
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
    // For the life of the connection: one that breaks reports more than one error
    // (the server's, then its end), and an error without a listener ends the process.
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
