import pg from 'pg';

/** Any fixed number: it names this lock among the server's advisory locks. */
const serveLock = 7_366_010_275;
const retryMs = 5000;

/** Processes that serve a database share a lock; who replaces what it holds has it alone. */
export interface ServeMark {
  release(): Promise<void>;
}

async function tryLock(url: string, statement: string): Promise<pg.Client | undefined> {
  const client = new pg.Client({ connectionString: url, application_name: 'memoryd lock', keepAlive: true });
  await client.connect();
  try {
    const { rows } = await client.query<{ locked: boolean }>(`SELECT ${statement}($1) AS locked`, [
      serveLock,
    ]);
    if (rows[0].locked) return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
  await client.end();
  return undefined;
}

/** @throws Error while a process serves */
export async function lockAlone(url: string): Promise<ServeMark> {
  const client = await tryLock(url, 'pg_try_advisory_lock');
  if (!client) throw new Error('A `memoryd serve` is using this database. Stop all of them first.');
  // Losing it ends the command at its next statement, on a server that is gone.
  client.on('error', () => undefined);
  return { release: () => client.end() };
}

/** Keeps the lock for as long as the process serves: it is taken again when its connection breaks. */
class SharedMark implements ServeMark {
  readonly #url: string;
  #client: pg.Client | undefined;
  #retry: NodeJS.Timeout | undefined;
  #released = false;

  constructor(url: string) {
    this.#url = url;
  }

  /** @throws Error while a process has the lock alone */
  async take(): Promise<void> {
    const client = await tryLock(this.#url, 'pg_try_advisory_lock_shared');
    if (!client)
      throw new Error('A `memoryd restore` is replacing what this database holds. Start when it is done.');
    if (this.#released) return client.end();
    client.once('error', () => this.#takeAgain());
    this.#client = client;
  }

  async release(): Promise<void> {
    this.#released = true;
    clearTimeout(this.#retry);
    await this.#client?.end().catch(() => undefined);
  }

  #takeAgain(): void {
    this.#client = undefined;
    if (this.#released) return;
    this.#retry = setTimeout(() => void this.take().catch(() => this.#takeAgain()), retryMs);
    this.#retry.unref();
  }
}

/** @throws Error while a process has the lock alone */
export async function lockForServing(url: string): Promise<ServeMark> {
  const mark = new SharedMark(url);
  await mark.take();
  return mark;
}
