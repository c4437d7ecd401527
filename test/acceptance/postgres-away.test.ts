import { connect, createServer, type Server as NetServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStorage } from '../../src/container.ts';
import { engines, newDatabase, type TestDatabase } from '../support/database.ts';
import { patientClient } from '../support/http-client.ts';
import { poll } from '../support/poll.ts';
import { endConnections } from '../support/postgres-client.ts';
import { runMemoryd, startServer } from '../support/server.ts';
import { testConfig } from '../support/test-config.ts';

/** Passes on to the database what comes to another port, from when it listens. */
function newProxy(to: URL): NetServer {
  return createServer((socket) => {
    const server = connect(Number(to.port), to.hostname);
    for (const [from, into] of [
      [socket, server],
      [server, socket],
    ]) {
      from.on('error', () => into.destroy());
      from.pipe(into);
    }
  });
}

const listen = (server: NetServer, port = 0) =>
  new Promise<number>((resolve) => {
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : 0);
    });
  });

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe.runIf(engines.includes('postgres'))('while PostgreSQL is away', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await newDatabase('postgres');
  });
  afterEach(() => database.drop());

  it('a service whose connections are ended goes on by itself, and logs and counts what broke', async () => {
    const server = await startServer({ databaseUrl: database.url });
    const http = patientClient(server.url, server.key);
    for (let round = 1; round <= 3; round++) {
      expect((await http.post('/api/memories', { content: `before ${round}` })).status).toBe(201);
      expect(await endConnections(database.url)).toBeGreaterThan(0);
      const responses = await poll('a write works', async () => {
        const { status } = await http.post('/api/memories', { content: `after ${round}` });
        expect([201, 503]).toContain(status);
        return status === 201 ? status : undefined;
      });
      expect(responses).toBe(201);
    }
    const { text } = await http.get('/metrics');
    expect(text).toMatch(/memoryd_background_failures_total\{task="database_connection"\} [1-9]/);
    const status = await http.get<{ data: { background: unknown[] } }>('/api/system/context/status');
    expect(status.body.data.background).toContainEqual({
      task: 'database_connection',
      failures: expect.any(Number),
      lastFailedAt: expect.any(String),
    });
    expect(await server.stop()).toBe(0);
    const line = server
      .output()
      .split('\n')
      .find((text) => text.includes('"task":"database_connection"'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      times: 1,
      failure: { code: '57P01', stack: expect.stringContaining(' at ') },
      msg: 'work in the background failed',
    });
  });

  it('a start waits for the database, and goes on when it answers', async () => {
    const url = new URL(database.url);
    const proxy = newProxy(url);
    const behind = new URL(url);
    behind.username = 'postgres';
    behind.password = 'not-needed-here';
    const port = await freePort();
    behind.port = String(port);
    const lines: string[] = [];
    const storage = await openStorage(testConfig({ MEMORYD_DATABASE_URL: behind.toString() }), {
      exclusive: true,
      say: (line) => {
        lines.push(line);
        void listen(proxy, port);
      },
    });
    await storage.ping();
    await storage.close();
    proxy.close();
    expect(lines).toEqual([
      `Waiting up to 30 s for the database of MEMORYD_DATABASE_URL (postgres://postgres:***@127.0.0.1:${port}${url.pathname}) (ECONNREFUSED).`,
    ]);
  });

  it('a command says which setting names the database that it cannot use, without the password', async () => {
    const port = await freePort();
    const away = await runMemoryd(`postgres://me:secret@127.0.0.1:${port}/x`, ['users', 'list']);
    expect(away).toMatchObject({
      code: 1,
      stderr: `memoryd: The database of MEMORYD_DATABASE_URL (postgres://me:***@127.0.0.1:${port}/x) cannot be reached (ECONNREFUSED). Start its server, or correct the URL.\n`,
    });
    const unknown = new URL(database.url);
    unknown.pathname = '/memoryd_test_nowhere';
    const missing = await runMemoryd(unknown.toString(), ['users', 'list']);
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain('does not exist on its server (3D000). Create it, or correct the URL.');
  });
});
