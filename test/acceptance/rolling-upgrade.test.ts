import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { awaitSteps } from '../support/await-steps.ts';
import { engines, newDatabase, type TestDatabase } from '../support/database.ts';
import { type Client, client } from '../support/http-client.ts';
import { nextBuild } from '../support/next-build.ts';
import { poll } from '../support/poll.ts';
import { readRows } from '../support/run-statement.ts';
import { firstKey, type Server, startServer } from '../support/server.ts';

/** Tables that requests read and write all the time, and some that few do. */
const widened = [
  'users',
  'api_keys',
  'memories',
  'memory_versions',
  'facts',
  'trash_entries',
  'user_counters',
];
const expands = {
  name: 'notes',
  statements: [
    ...widened.map((table) => `ALTER TABLE ${table} ADD COLUMN next_note TEXT`),
    'CREATE TABLE next_things (user_id BIGINT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (user_id, id))',
    'CREATE INDEX next_notes ON memory_versions (user_id, next_note)',
  ],
};
const contracts = {
  name: 'without notes',
  needs: 2,
  statements: widened.map((table) => `ALTER TABLE ${table} DROP COLUMN next_note`),
};
/** Another build than this one as the older, and this one as the newer: see scripts/postgres/rolling.sh. */
const olderMain = process.env.MEMORYD_TEST_OLDER_MAIN;
const workers = 2;

interface Made {
  readonly data: { readonly id: string };
}

/** What users do, at the services of the list in turns, until `stop`. */
class Load {
  readonly #servers = new Set<Server>();
  readonly #busy = new Map<Server, number>();
  readonly failures: string[] = [];
  readonly #live: string[] = [];
  #turn = 0;
  #isOn = true;
  readonly #running: Promise<unknown>;
  requests = 0;

  constructor(first: Server) {
    this.#servers.add(first);
    this.#running = Promise.all(Array.from({ length: workers }, (_, i) => this.#work(i)));
  }

  get live(): number {
    return this.#live.length;
  }

  add(server: Server): void {
    this.#servers.add(server);
  }

  /** As a balancer does before a process is stopped. */
  async takeOut(server: Server): Promise<void> {
    this.#servers.delete(server);
    await poll('requests end', async () => ((this.#busy.get(server) ?? 0) === 0 ? true : undefined));
  }

  /** Resolves when each worker has had some more turns. */
  async more(): Promise<void> {
    const until = this.requests + 100;
    await poll('requests', async () => (this.requests >= until ? true : undefined), 60_000);
  }

  async stop(): Promise<void> {
    this.#isOn = false;
    await this.#running;
  }

  async #work(worker: number): Promise<void> {
    for (let round = 0; this.#isOn; round++) {
      const made = await this.#ask<Made>((http) =>
        http.post('/api/memories', {
          content: `Worker ${worker}, note ${round}: Ana repairs the boat in harbour ${round % 29}.`,
        }),
      );
      if (!made) continue;
      const { id } = made.data;
      this.#live.push(id);
      await this.#ask((http) => http.get(`/api/memories/${id}`));
      await this.#ask((http) => http.post('/api/memories/search', { query: `harbour ${round % 29}` }));
      await this.#ask((http) =>
        http.put(`/api/memories/${id}`, { content: `Edited note ${round} of worker ${worker}.` }),
      );
      await this.#ask((http) => http.get('/api/memories?limit=5'));
      await this.#ask((http) =>
        http.post('/api/facts', {
          subject: `Boat ${worker} ${round}`,
          predicate: 'lies in',
          object: 'harbour',
        }),
      );
      await this.#ask((http) => http.get('/api/facts?limit=5'));
      await this.#ask((http) => http.get('/api/apikeys'));
      if (round % 3 !== 0) continue;
      await this.#ask((http) => http.delete(`/api/memories/${id}`));
      this.#live.splice(this.#live.indexOf(id), 1);
    }
  }

  async #ask<T>(
    send: (http: Client) => Promise<{ status: number; text: string; body: unknown }>,
  ): Promise<T | undefined> {
    const servers = [...this.#servers];
    const server = servers[this.#turn++ % servers.length];
    const count = (by: number) => this.#busy.set(server, (this.#busy.get(server) ?? 0) + by);
    count(1);
    try {
      const { status, text, body } = await send(client(server.url, server.key));
      this.requests++;
      if (status < 400) return body as T;
      this.failures.push(`${status} ${text.slice(0, 300)}`);
    } catch (error) {
      this.failures.push(String(error));
    } finally {
      count(-1);
    }
    return undefined;
  }
}

/** As docs/deploy.md says. */
describe.runIf(engines.includes('postgres'))('an upgrade without a stop', () => {
  let store: TestDatabase;
  let next: ReturnType<typeof nextBuild> | undefined;
  const started: Server[] = [];
  beforeEach(async () => {
    store = await newDatabase('postgres');
  });
  afterEach(async () => {
    await Promise.all(started.splice(0).map((server) => server.kill()));
    await store.drop();
    next?.remove();
  });

  const start = async (main?: string) => {
    const server = await startServer({
      databaseUrl: store.url,
      env: { MEMORYD_API_KEY: firstKey(store.url) },
      main,
    });
    started.push(server);
    return server;
  };

  it('two versions serve one database under load, and no request fails', async () => {
    next = olderMain === undefined ? nextBuild([expands]) : undefined;
    const older = olderMain;
    const newer = next?.main;
    const a = await start(older);
    const load = new Load(a);
    const b = await start(older);
    load.add(b);
    await load.more();
    const c = await start(newer);
    load.add(c);
    await load.more();
    await load.takeOut(a);
    expect(await a.stop()).toBe(0);
    await load.more();
    // An older one that is started again during the upgrade says whether it can go on.
    const again = await start(older);
    if (next)
      expect(again.output()).toContain(
        'The store is of version 2, this program knows up to 1, and works with it',
      );
    load.add(again);
    await load.more();
    const d = await start(newer);
    load.add(d);
    for (const old of [b, again]) {
      await load.takeOut(old);
      expect(await old.stop()).toBe(0);
    }
    await load.more();
    await load.stop();
    expect(load.failures).toEqual([]);

    const http = client(d.url, d.key);
    await awaitSteps(http, 100);
    const { body } = await http.get<{ data: { memories: number } }>('/api/system/context/status');
    expect(body.data.memories).toBe(load.live);
    const { body: later } = await client(c.url, c.key).get<{ data: { memories: number } }>(
      '/api/system/context/status',
    );
    expect(later.data.memories).toBe(load.live);
  }, 300_000);

  it('a migration that takes away waits until no older version serves, and keeps older ones from starting', async () => {
    next = nextBuild([expands]);
    const last = nextBuild([expands, contracts]);
    try {
      const first = await start();
      const second = await start(next.main);
      await expect(start(last.main)).rejects.toThrow(
        `An older version of memoryd serves this database, which could not go on with the tables of this one: process ${first.pid} on `,
      );
      expect(
        (await client(first.url, first.key).post('/api/memories', { content: 'Still here.' })).status,
      ).toBe(201);
      expect(await first.stop()).toBe(0);
      const third = await start(last.main);
      for (const { url, key } of [second, third])
        expect((await client(url, key).post('/api/memories', { content: 'Side by side.' })).status).toBe(201);
      await expect(start()).rejects.toThrow(
        'The store is of version 3, this program knows up to 1, and the store needs one that knows 2.',
      );
      expect(await readRows(store, 'SELECT id, needs FROM schema_migrations ORDER BY id')).toEqual([
        { id: 1, needs: 1 },
        { id: 2, needs: 1 },
        { id: 3, needs: 2 },
      ]);
    } finally {
      last.remove();
    }
  }, 300_000);
});
