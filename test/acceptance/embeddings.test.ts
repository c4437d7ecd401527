import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { engines, newDatabase, type TestDatabase } from '../support/database.ts';
import { client } from '../support/http-client.ts';
import { startServer } from '../support/server.ts';
import { newTempFolder } from '../support/temp-folder.ts';
import { testDefaults } from '../support/test-config.ts';

const mainPath = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

function memoryd(database: TestDatabase, args: readonly string[], settings: Record<string, string> = {}) {
  const folder = newTempFolder('command');
  const given = { MEMORYD_DATABASE_URL: database.url, ...testDefaults, ...settings };
  const env = { PATH: process.env.PATH, ...given };
  const child = spawn(process.execPath, [mainPath, ...args], { env, cwd: folder.path });
  let output = '';
  child.stdout.on('data', (data: Buffer) => (output += data));
  child.stderr.on('data', (data: Buffer) => (output += data));
  return new Promise<{ code: number | null; output: string }>((resolve) =>
    child.once('close', (code) => {
      folder.remove();
      resolve({ code, output });
    }),
  );
}

describe.each(engines)('memoryd embeddings on %s', (engine) => {
  it('memoryd embeddings makes all vectors again with a service running, and shows how many are done', async () => {
    const database = await newDatabase(engine);
    const server = await startServer({ databaseUrl: database.url });
    const http = client(server.url, server.key);
    for (const content of ['two puppies sleep', 'a kitten purrs'])
      await http.post('/api/memories', { content });
    type Found = { data: { content: string }[] };
    const find = async () =>
      (
        await http.get<Found>('/api/memories/search?searchMethod=semantic&threshold=0.4&context=false&q=dogs')
      ).body.data.map(({ content }) => content);
    expect(await find()).toEqual(['two puppies sleep']);

    expect(await memoryd(database, ['embeddings', 'rebuild'])).toEqual({
      code: 0,
      output: 'All memories have new vectors, and searches use them.\n',
    });
    expect(await find()).toEqual(['two puppies sleep']);
    await http.post('/api/memories', { content: 'a hound barks' });
    expect((await find()).sort()).toEqual(['a hound barks', 'two puppies sleep']);

    await expect
      .poll(async () => (await memoryd(database, ['embeddings', 'status'])).output, { timeout: 20_000 })
      .toBe('static-en-256, 256 dimensions, version 1.2: serves\n');
    type Status = { data: { embedding: { spaces: { state: string; waiting: number }[] } } };
    const status = await http.get<Status>('/api/system/context/status');
    expect(status.body.data.embedding.spaces).toMatchObject([{ state: 'serving', waiting: 0, failed: 0 }]);
    expect((await fetch(`${server.url}/metrics`).then((response) => response.text())).split('\n')).toEqual(
      expect.arrayContaining([
        'memoryd_embeddings_waiting{state="serving"} 0',
        'memoryd_embeddings_failed{state="serving"} 0',
      ]),
    );

    const refused = await memoryd(database, ['embeddings', 'rebuild'], { MEMORYD_EMBEDDER: 'none' });
    expect(refused.code).not.toBe(0);
    expect(refused.output).toContain('MEMORYD_EMBEDDER');
    await server.stop();
    await database.drop();
  });
});
