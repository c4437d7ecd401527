import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Engine, engines, newDatabase, type TestDatabase } from '../support/database.ts';
import { type Client, client, patientClient } from '../support/http-client.ts';
import { differences, responsesOf, writeHistory } from '../support/moved-records.ts';
import { poll } from '../support/poll.ts';
import { createUserKey, runMemoryd, startServer } from '../support/server.ts';
import { newTempFolder } from '../support/temp-folder.ts';

type Made = { data: { id: string; content: string } };

let databases: TestDatabase[];
let folder: { path: string; remove(): void };
beforeEach(() => {
  databases = [];
  folder = newTempFolder('backup');
});
afterEach(async () => {
  for (const database of databases) await database.drop();
  folder.remove();
});

async function newStore(engine: Engine): Promise<string> {
  const database = await newDatabase(engine);
  databases.push(database);
  return database.url;
}

/** Writes with 16 writers until `body` is done; hands it the ids of what is answered, as they come. */
async function underWriters(http: Client, body: (known: readonly string[]) => Promise<void>): Promise<void> {
  const known: string[] = [];
  let stop = false;
  const writers = Array.from({ length: 16 }, async (_, writer) => {
    for (let i = 0; !stop; i++) {
      const content = `walrus ${writer} number ${i}`;
      const { status, body: made } = await http.post<Made>('/api/memories', { content });
      expect(status).toBe(201);
      known.push(made.data.id);
    }
  });
  try {
    await body(known);
  } finally {
    stop = true;
    await Promise.all(writers);
  }
}

describe.each(engines)('memoryd backup and restore on %s', (engine) => {
  it('under 16 writers holds everything answered before it began, and searches find it again', async () => {
    const databaseUrl = await newStore(engine);
    const server = await startServer({ databaseUrl });
    const file = join(folder.path, 'copy');
    let before: string[] = [];
    await underWriters(patientClient(server.url, server.key), async (known) => {
      await expect.poll(() => known.length, { timeout: 40_000 }).toBeGreaterThan(200);
      // Again if no write ended during it: a busy machine can stand still for as long as a backup takes.
      await poll('writes go on beside a backup', async () => {
        rmSync(file, { force: true });
        before = [...known];
        const made = await runMemoryd(databaseUrl, ['backup', file]);
        expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('is copied') });
        return known.length > before.length || undefined;
      });
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(existsSync(`${file}.partial`)).toBe(false);
    await server.stop();

    const restored = await newStore(engine);
    expect(await runMemoryd(restored, ['restore', file])).toMatchObject({ code: 0 });
    expect(await runMemoryd(restored, ['check'])).toMatchObject({ code: 0 });
    const again = await startServer({ databaseUrl: restored, env: { MEMORYD_API_KEY: server.key } });
    const reader = patientClient(again.url, server.key);
    for (let i = 0; i < before.length; i += 100) {
      const ids = before.slice(i, i + 100);
      const { body } = await reader.post<{ meta: { found: number } }>('/api/memories/batch', { ids });
      expect(body.meta.found).toBe(ids.length);
    }
    const found = await reader.get<{ meta: { total: number } }>(
      '/api/memories/search?q=walrus&searchMethod=keyword',
    );
    expect(found.body.meta.total).toBeGreaterThanOrEqual(before.length);

    expect(await runMemoryd(restored, ['restore', file, '--yes'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Stop (it|all of them) first/),
    });
    await reader.post('/api/memories', { content: 'written after the backup' });
    await again.stop();
    expect(await runMemoryd(restored, ['restore', file])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--yes'),
    });
    expect(await runMemoryd(restored, ['restore', file, '--yes'])).toMatchObject({ code: 0 });
    const third = await startServer({ databaseUrl: restored, env: { MEMORYD_API_KEY: server.key } });
    const after = await patientClient(third.url, server.key).get<{ meta: { total: number } }>(
      '/api/memories/search?q=%22written+after+the+backup%22&searchMethod=keyword',
    );
    expect(after.body.meta.total).toBe(0);
    await third.stop();
  }, 240_000);

  it.each(engines.filter((kind) => kind !== engine || engines.length === 1))(
    'a backup moves a whole store, users and keys, to %s as lines of text',
    async (kind) => {
      const source = await newStore(engine);
      // What is derived is derived again in the new store, at another time: test/derivation/transfer.test.ts.
      const env = { MEMORYD_DERIVE: 'false' };
      const server = await startServer({ databaseUrl: source, env });
      const bea = await createUserKey(source, 'bea');
      await writeHistory(client(server.url, server.key), 12);
      await writeHistory(client(server.url, bea), 12);
      const expected = await responsesOf(client(server.url, server.key));
      const requestedOfBea = await responsesOf(client(server.url, bea));
      const file = join(folder.path, 'all.jsonl');
      expect(await runMemoryd(source, ['backup', '--lines', file])).toMatchObject({ code: 0 });
      await server.stop();

      const target = await newStore(kind);
      // What was there goes.
      await createUserKey(target, 'carl');
      expect(await runMemoryd(target, ['restore', file, '--yes'], env)).toMatchObject({ code: 0 });
      expect((await runMemoryd(target, ['users', 'list'])).stdout).not.toContain('carl');
      expect(await runMemoryd(target, ['check'])).toMatchObject({ code: 0 });
      const moved = await startServer({ databaseUrl: target, env: { ...env, MEMORYD_API_KEY: server.key } });
      expect(differences(await responsesOf(client(moved.url, server.key)), expected)).toEqual([]);
      expect(differences(await responsesOf(client(moved.url, bea)), requestedOfBea)).toEqual([]);
      await moved.stop();
    },
    240_000,
  );

  it('a restore refuses what is no backup and leaves the store as it was', async () => {
    const databaseUrl = await newStore(engine);
    const server = await startServer({ databaseUrl });
    await patientClient(server.url, server.key).post('/api/memories', { content: 'kept' });
    const file = join(folder.path, 'copy');
    expect((await runMemoryd(databaseUrl, ['backup', file])).code).toBe(0);
    const again = await runMemoryd(databaseUrl, ['backup', file]);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('is there already') });
    const ofOne = join(folder.path, 'export.jsonl');
    expect((await runMemoryd(databaseUrl, ['export', '--user', 'default', ofOne])).code).toBe(0);
    const hiding = await runMemoryd(databaseUrl, ['import', '--hide-secrets', ofOne]);
    expect(hiding).toMatchObject({ code: 1, stderr: expect.stringContaining('--hide-secrets is not for') });
    await server.stop();
    // Not the bytes of a file: whoever opens a store may store statistics for its plans.
    const before = await linesOf(databaseUrl);
    truncateSync(file, Math.floor(statSync(file).size / 2));
    const other = join(folder.path, 'notes.txt');
    writeFileSync(other, 'these are notes');
    for (const wrong of [file, other, ofOne, join(folder.path, 'nothing')]) {
      expect([wrong, (await runMemoryd(databaseUrl, ['restore', wrong, '--yes'])).code]).toEqual([wrong, 1]);
      expect((await linesOf(databaseUrl)) === before).toBe(true);
    }
  }, 180_000);

  it('with --keep adds a copy to a folder, leaves the newest there, and the copy can be restored', async () => {
    const databaseUrl = await newStore(engine);
    const key = await createUserKey(databaseUrl, 'ana');
    const kept = join(folder.path, 'backups');
    mkdirSync(kept);
    const names = ['memoryd-20200101T000000Z.db', 'memoryd-20200102T000000Z.jsonl', 'notes.txt'];
    for (const name of names) writeFileSync(join(kept, name), name);
    const made = await runMemoryd(databaseUrl, ['backup', '--keep', '2', kept]);
    expect(made).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`Older copies removed: ${names[0]}`),
    });
    const [copy, ...others] = readdirSync(kept).filter((name) => !names.includes(name));
    expect(others).toEqual([]);
    expect(readdirSync(kept).filter((name) => names.includes(name))).toEqual(names.slice(1));

    const restored = await newStore(engine);
    expect(await runMemoryd(restored, ['restore', join(kept, copy)])).toMatchObject({ code: 0 });
    const server = await startServer({ databaseUrl: restored });
    expect((await client(server.url, key).get('/api/users/me')).status).toBe(200);
    await server.stop();

    for (const wrong of ['0', '-1', '1.5', 'all'])
      expect(await runMemoryd(databaseUrl, ['backup', '--keep', wrong, kept])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('whole number from 1 to 10000'),
      });
  }, 60_000);

  let copies = 0;
  /** The rows of a whole store. */
  async function linesOf(databaseUrl: string): Promise<string> {
    const file = join(folder.path, `rows-${copies++}.jsonl`);
    await runMemoryd(databaseUrl, ['backup', '--lines', file]);
    return readFileSync(file, 'utf8').split('\n').slice(1, -2).join('\n');
  }
});
