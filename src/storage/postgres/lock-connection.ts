import pg from 'pg';
import { advisoryLocks } from './advisory-locks.ts';

const connectTimeoutMs = 5000;
const keepAliveMs = 10_000;

/** A connection of its own that has the serving lock until it ends or breaks. */
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
    // For as long as it lives: a connection that breaks reports more than one error (the server's, then its end), and
    // an error that nobody listens to ends the process.
    this.#client.on('error', (error) => {
      this.#broken ??= error;
      this.#tell?.(error);
    });
  }

  /** @returns undefined where others have the lock in a way that excludes `mode` */
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

  /** Why it broke, where it did. */
  get broken(): Error | undefined {
    return this.#broken;
  }

  /** Calls `tell` when it breaks, or now where it did. */
  whenBroken(tell: (error: Error) => void): void {
    if (this.#broken) tell(this.#broken);
    else this.#tell = tell;
  }

  async end(): Promise<void> {
    this.#tell = undefined;
    // What cannot be ended is gone, and the server releases its locks.
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
