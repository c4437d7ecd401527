import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import type { FailureLog } from '../../lib/failure-log.ts';
import type { Database } from '../sql/core/schema.ts';
import type { ChangeNotices } from '../sql/sql-driver.ts';

const channel = 'memoryd_changes';
/** Commits of this time share a notice. */
const gatherMs = 50;
/** A notice has 8,000 bytes at most. */
const usersPerNotice = 400;
const reconnectMs = 1000;

interface NoticeDeps {
  readonly url: string;
  readonly db: Kysely<Database>;
  readonly failures: FailureLog;
  /** Whether a notice can reach this process; false behind a pooler and on a replica. */
  readonly isHeard: boolean;
}

/**
 * Notices by NOTIFY, sent after the commits instead of in them: a transaction that notifies takes a lock
 * of the whole database at its commit. A notice that is lost with its process or connection only delays
 * readers, who look at the list from time to time without one.
 */
export class PostgresNotices implements ChangeNotices {
  readonly #deps: NoticeDeps;
  readonly #users = new Set<number>();
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #client: pg.Client | undefined;
  #isClosed = false;

  constructor(deps: NoticeDeps) {
    this.#deps = deps;
  }

  send(userId: number): void {
    if (this.#isClosed) return;
    this.#users.add(userId);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#sending = this.#send();
    }, gatherMs).unref();
  }

  async #send(): Promise<void> {
    const users = [...this.#users];
    this.#users.clear();
    try {
      for (let from = 0; from < users.length; from += usersPerNotice) {
        const payload = users.slice(from, from + usersPerNotice).join(' ');
        await sql`SELECT pg_notify(${channel}, ${payload})`.execute(this.#deps.db);
      }
    } catch (error) {
      this.#deps.failures.failed('change_notices', error);
    }
  }

  listen(notice: (userId: number) => void): void {
    // Behind a pooler in transaction mode another client's session would listen, and none would be told.
    if (this.#isClosed || !this.#deps.isHeard) return;
    const client = new pg.Client({ connectionString: this.#deps.url, keepAlive: true });
    this.#client = client;
    let isLost = false;
    const again = (error: unknown) => {
      if (isLost || this.#isClosed) return;
      isLost = true;
      this.#deps.failures.failed('change_notices', error);
      client.end().catch(() => undefined);
      setTimeout(() => this.listen(notice), reconnectMs).unref();
    };
    client.on('error', again);
    client.on('end', () => again(new Error('The connection for notices of changes ended.')));
    client.on('notification', ({ payload = '' }) => {
      for (const id of payload.split(' ')) notice(Number(id));
    });
    client
      .connect()
      .then(() => client.query(`LISTEN ${channel}`))
      .catch(again);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#sending;
    // The connection may be lost already.
    await this.#client?.end().catch(() => undefined);
  }
}
