import { setTimeout as delay } from 'node:timers/promises';
import { type Connection, callUntilResponse, openConnection } from '../../bench/http/connection.ts';
import { mapConcurrently } from '../../test/support/concurrently.ts';
import {
  type Engine,
  newDatabase,
  type Server,
  startServer,
  type TestDatabase,
} from '../../test/support/server.ts';

const drainDeadlineMs = 600_000;
/** Interval of polling; a request for metrics costs the service some milliseconds. */
const lookEveryMs = 250;

/** A service on a store of its own, with or without derivation. */
export interface Subject {
  readonly server: Server;
  /** Restarts the service on the same store with derivation. */
  derive(): Promise<void>;
  stop(): Promise<void>;
}

const envOf = (derives: boolean) => ({ MEMORYD_DERIVE: String(derives) });

export async function startSubject(engine: Engine, derives: boolean): Promise<Subject> {
  const database: TestDatabase = await newDatabase(engine);
  let server = await startServer({ databaseUrl: database.url, env: envOf(derives) });
  return {
    get server() {
      return server;
    },
    derive: async () => {
      await server.stop();
      server = await startServer({ databaseUrl: database.url, env: envOf(true) });
    },
    stop: async () => {
      await server.stop();
      await database.drop();
    },
  };
}

/** Creates memories over several connections. */
export async function createAll(
  { url, key }: Server,
  texts: readonly string[],
  connections: number,
): Promise<void> {
  const idle = await Promise.all(Array.from({ length: connections }, () => openConnection(url, key)));
  const all = [...idle];
  try {
    await mapConcurrently([...texts], connections, async (content) => {
      const connection = idle.pop();
      if (!connection) throw new Error('more creates at once than connections');
      await createOne(connection, content);
      idle.push(connection);
    });
  } finally {
    for (const connection of all) connection.close();
  }
}

export async function createOne(connection: Connection, content: string): Promise<void> {
  await callUntilResponse(connection, { method: 'POST', path: '/api/memories', body: { content } }, 201);
}

/** Number of memories for which this process has done a step. */
export async function doneOf({ url }: Server, step: string): Promise<number> {
  const response = await fetch(`${url}/metrics`, { headers: { 'accept-encoding': 'identity' } });
  const metrics = await response.text();
  const line = new RegExp(`^memoryd_jobs_total\\{step="${step}",outcome="done"\\} (\\d+)`, 'm').exec(metrics);
  return Number(line?.[1] ?? 0);
}

/** Waits until a step is done for `count` memories in total. */
export async function waitForDone(server: Server, step: string, count: number): Promise<void> {
  const until = performance.now() + drainDeadlineMs;
  while ((await doneOf(server, step)) < count) {
    if (performance.now() > until) throw new Error(`${step} of ${count} memories took too long`);
    await delay(lookEveryMs);
  }
}
