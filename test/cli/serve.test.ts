import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import SqliteConnection from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { client } from '../support/http-client.ts';
import { poll } from '../support/poll.ts';
import { engines, newDatabase, startServer, type TestDatabase } from '../support/server.ts';

const mainPath = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

interface Ran {
  readonly code: number;
  readonly output: string;
}

describe.each(engines)('the command on %s', (engine) => {
  let database: TestDatabase;
  let folder: string;
  beforeEach(async () => {
    database = await newDatabase(engine);
    folder = mkdtempSync(join(tmpdir(), 'memoryd-cli-'));
  });
  afterEach(async () => {
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  const run = (args: readonly string[], env: Record<string, string> = {}): Promise<Ran> =>
    new Promise((resolve) => {
      const all = { PATH: process.env.PATH ?? '', MEMORYD_DATABASE_URL: database.url, ...env };
      execFile(
        'node',
        [mainPath, ...args],
        { cwd: folder, env: all, timeout: 60_000 },
        (error, stdout, stderr) => {
          resolve({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr });
        },
      );
    });

  it('the command finishes, closes the store and exits 0 on SIGTERM, and keeps what it answered', async () => {
    const server = await startServer({ databaseUrl: database.url });
    const http = client(server.url, server.key);
    const { body } = await http.post<{ data: { id: string } }>('/api/memories', { content: 'kept' });
    expect(await server.stop()).toBe(0);
    const again = await startServer({ databaseUrl: database.url });
    expect((await client(again.url, again.key).get(`/api/memories/${body.data.id}`)).status).toBe(200);
    expect(await again.stop()).toBe(0);
  });

  it('the command reads the indexes of users before they search, unless told not to', async () => {
    const server = await startServer({ databaseUrl: database.url });
    await client(server.url, server.key).post('/api/memories', { content: 'The kiln was fired on Friday.' });
    await server.stop();
    const again = await startServer({ databaseUrl: database.url });
    const warmedUp = await poll('the log says so', () => {
      const line = /"warmedUp":\{"users":(\d+),"ms":\d+\}/.exec(again.output());
      return Promise.resolve(line?.[1]);
    });
    expect(warmedUp).toBe('1');
    await again.stop();
    const cold = await startServer({ databaseUrl: database.url, env: { MEMORYD_WARM_UP_TIMEOUT_MS: '0' } });
    await cold.stop();
    expect(cold.output()).not.toContain('warmedUp');
  });

  it('the command manages users and keys with a service running', async () => {
    const server = await startServer({ databaseUrl: database.url });
    expect((await run(['users', 'add', 'ana', '--email', 'ana@example.test'])).code).toBe(0);
    expect(await run(['users', 'add', 'ana'])).toMatchObject({
      code: 1,
      output: expect.stringContaining('already'),
    });
    const created = await run(['keys', 'create', '--user', 'ben', '--label', 'phone']);
    const key = created.output.trim().split(/\s+/).at(-1) ?? '';
    const http = client(server.url, key);
    expect((await http.post('/api/memories', { content: 'mine' })).status).toBe(201);
    expect((await run(['users', 'list'])).output).toMatch(/^ana .*^ben .*^default /ms);
    const [{ id }] = JSON.parse((await run(['keys', 'list', '--user', 'ben', '--json'])).output).data;
    expect((await run(['keys', 'revoke', id, '--user', 'ben'])).code).toBe(0);
    expect((await http.get('/api/memories')).status).toBe(401);
    expect(await run(['users', 'remove', 'ben'])).toMatchObject({
      code: 1,
      output: expect.stringContaining('--yes'),
    });
    expect((await run(['users', 'remove', 'ben', '--yes'])).code).toBe(0);
    expect((await run(['users', 'list'])).output).not.toContain('ben');
    await server.stop();
  });

  it('the command reports every wrong setting at once, by name', async () => {
    const { code, output } = await run(['serve'], {
      MEMORYD_PORT: 'x',
      MEMORYD_LOG_LEVEL: 'loud',
      MEMORYD_TYPO: '1',
    });
    expect(code).toBe(1);
    for (const name of ['MEMORYD_PORT', 'MEMORYD_LOG_LEVEL', 'MEMORYD_TYPO']) expect(output).toContain(name);
  });
});

describe('a SQLite store', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'memoryd-store-'));
    path = join(folder, 'memoryd.db');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const serve = (port = 0): Promise<Ran> =>
    new Promise((resolve) => {
      const env = {
        PATH: process.env.PATH ?? '',
        MEMORYD_DATABASE_URL: `sqlite:${path}`,
        MEMORYD_PORT: String(port),
      };
      execFile('node', [mainPath, 'serve'], { cwd: folder, env, timeout: 20_000 }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr }),
      );
    });

  it('a SQLite store is served by one process at a time', async () => {
    const server = await startServer({ databaseUrl: `sqlite:${path}` });
    expect(await serve()).toMatchObject({
      code: 1,
      output: expect.stringContaining('Another `memoryd serve`'),
    });
    expect((await client(server.url, server.key).get('/api/users/me')).status).toBe(200);
    await server.stop();
  });

  it('a SQLite store is readable by its owner only', async () => {
    const server = await startServer({ databaseUrl: `sqlite:${path}`, env: { MEMORYD_API_KEY: '' } });
    for (const file of [path, `${path}-wal`, `${path}-shm`, join(folder, 'first-key')]) {
      expect((statSync(file).mode & 0o777).toString(8), file).toBe('600');
    }
    const key = readFileSync(join(folder, 'first-key'), 'utf8').trim();
    expect((await client(server.url, key).get('/api/users/me')).status).toBe(200);
    await server.stop();
  });

  it('a SQLite store that is damaged is refused and left as it is', async () => {
    const server = await startServer({ databaseUrl: `sqlite:${path}` });
    const http = client(server.url, server.key);
    for (let i = 0; i < 50; i++)
      await http.post('/api/memories', { content: `memory ${i} ${'x'.repeat(2000)}` });
    // Only a stop that ended in time has written the file: otherwise all is in the WAL.
    expect(await server.stop(), server.output()).toBe(0);
    const bytes = readFileSync(path);
    bytes.fill(0x5a, 8192, 60_000);
    writeFileSync(path, bytes);
    expect(await serve()).toMatchObject({
      code: 1,
      output: expect.stringMatching(/not a usable memoryd store.*left as it is/s),
    });
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  it('a SQLite store of another program, or no database at all, is refused', async () => {
    writeFileSync(path, 'this is a text file, not a database'.repeat(100));
    chmodSync(path, 0o600);
    expect(await serve()).toMatchObject({
      code: 1,
      output: expect.stringContaining('not a usable memoryd store'),
    });
    rmSync(path);
    const other = new SqliteConnection(path);
    other.exec('CREATE TABLE things (a)');
    other.close();
    const bytes = readFileSync(path);
    expect(await serve()).toMatchObject({ code: 1, output: expect.stringContaining('another program') });
    expect(readdirSync(folder)).toEqual(['memoryd.db']);
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  it('a SQLite store is not made where the port is taken, which a sentence says with the setting', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    try {
      const { code, output } = await serve(port);
      expect(code).toBe(1);
      expect(output).toBe(
        `memoryd: Port ${port} of 127.0.0.1 is taken. Set MEMORYD_PORT to another, or stop what listens there.\n`,
      );
      expect(existsSync(path)).toBe(false);
    } finally {
      taken.close();
    }
  });

  it('a SQLite store has no user whose first key could not be kept', async () => {
    mkdirSync(join(folder, 'first-key'));
    const { code, output } = await serve();
    expect(code).toBe(1);
    expect(output).toMatch(/first API key cannot be kept in .*first-key .*MEMORYD_API_KEY/);
    const store = new SqliteConnection(path, { readonly: true });
    expect(store.prepare('SELECT count(*) FROM users').pluck().get()).toBe(0);
    store.close();
  });

  it('with users shows that another MEMORYD_API_KEY is ignored, and that the keys it has work on', async () => {
    const databaseUrl = `sqlite:${path}`;
    const first = await startServer({ databaseUrl });
    await first.stop();
    expect(first.output()).not.toContain('MEMORYD_API_KEY is ignored');
    const other = `cmk_live_0123456789abcdef.${'0'.repeat(64)}`;
    const server = await startServer({ databaseUrl, env: { MEMORYD_API_KEY: other } });
    await expect.poll(() => server.output()).toContain('MEMORYD_API_KEY is ignored');
    expect(server.output()).not.toContain(other);
    expect((await client(server.url, first.key).get('/api/users/me')).status).toBe(200);
    expect((await client(server.url, other).get('/api/users/me')).status).toBe(401);
    await server.stop();
  });

  it('a SQLite store of a newer version is refused', async () => {
    await (await startServer({ databaseUrl: `sqlite:${path}` })).stop();
    const store = new SqliteConnection(path);
    store.exec("INSERT INTO schema_migrations (id, name, needs) VALUES (999, 'later', 999)");
    store.close();
    expect(await serve()).toMatchObject({ code: 1, output: expect.stringContaining('version 999') });
  });
});
