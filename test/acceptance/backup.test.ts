import { spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newDatabase, type TestDatabase } from '../support/database.ts';
import { patientClient } from '../support/http-client.ts';
import { startServer } from '../support/server.ts';
import { newTempFolder } from '../support/temp-folder.ts';

const mainPath = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
type Made = { data: { id: string; content: string } };

describe('memoryd backup and restore', () => {
  let database: TestDatabase;
  let folder: { path: string; remove(): void };
  beforeEach(async () => {
    database = await newDatabase('sqlite');
    folder = newTempFolder('backup');
  });
  afterEach(async () => {
    await database.drop();
    folder.remove();
  });

  function memoryd(url: string, ...args: string[]): Promise<{ code: number | null; output: string }> {
    const env = { PATH: process.env.PATH, MEMORYD_DATABASE_URL: url };
    const child = spawn(process.execPath, [mainPath, ...args], { env, cwd: folder.path });
    let output = '';
    child.stdout.on('data', (data: Buffer) => (output += data));
    child.stderr.on('data', (data: Buffer) => (output += data));
    return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })));
  }

  it('under 16 writers holds everything answered before it began, and searches find it again', async () => {
    const server = await startServer({ databaseUrl: database.url });
    const http = patientClient(server.url, server.key);
    const known: string[] = [];
    let stop = false;
    const writers = Array.from({ length: 16 }, async (_, writer) => {
      for (let i = 0; !stop; i++) {
        const content = `walrus ${writer} number ${i}`;
        const { status, body } = await http.post<Made>('/api/memories', { content });
        expect(status).toBe(201);
        known.push(body.data.id);
      }
    });
    await expect.poll(() => known.length, { timeout: 40_000 }).toBeGreaterThan(200);
    const before = [...known];
    const file = join(folder.path, 'copy.db');
    const made = await memoryd(database.url, 'backup', file);
    stop = true;
    await Promise.all(writers);
    expect(made).toMatchObject({ code: 0, output: expect.stringContaining('is copied') });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(existsSync(`${file}.partial`)).toBe(false);

    const restored = join(folder.path, 'restored', 'memoryd.db');
    expect(await memoryd(`sqlite:${restored}`, 'restore', file)).toMatchObject({ code: 0 });
    const again = await startServer({
      databaseUrl: `sqlite:${restored}`,
      env: { MEMORYD_API_KEY: server.key },
    });
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

    expect(await memoryd(`sqlite:${restored}`, 'restore', file, '--yes')).toMatchObject({
      code: 1,
      output: expect.stringContaining('Stop it first'),
    });
    await again.stop();
    expect(await memoryd(`sqlite:${restored}`, 'restore', file)).toMatchObject({
      code: 1,
      output: expect.stringContaining('--yes'),
    });
    expect((await memoryd(`sqlite:${restored}`, 'restore', file, '--yes')).code).toBe(0);
    await server.stop();
  });

  it('refuses what is no backup and leaves the store as it was', async () => {
    const server = await startServer({ databaseUrl: database.url });
    await patientClient(server.url, server.key).post('/api/memories', { content: 'kept' });
    const file = join(folder.path, 'copy.db');
    expect((await memoryd(database.url, 'backup', file)).code).toBe(0);
    expect(await memoryd(database.url, 'backup', file)).toMatchObject({
      code: 1,
      output: expect.stringContaining('is there already'),
    });
    await server.stop();
    const store = database.url.slice('sqlite:'.length);
    const before = readFileSync(store);
    truncateSync(file, 20_000);
    const other = join(folder.path, 'notes.txt');
    writeFileSync(other, 'these are notes');
    for (const wrong of [file, other, join(folder.path, 'nothing')]) {
      const ended = await memoryd(database.url, 'restore', wrong, '--yes');
      expect(ended.code).toBe(1);
      expect(readFileSync(store).equals(before)).toBe(true);
    }
  });

  it('says what to use for PostgreSQL instead', async () => {
    const ended = await memoryd('postgres://nobody@127.0.0.1:1/none', 'backup', join(folder.path, 'x'));
    expect(ended).toMatchObject({ code: 1, output: expect.stringContaining('pg_dump') });
  });
});
