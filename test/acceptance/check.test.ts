import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { engines, newDatabase, type TestDatabase } from '../support/database.ts';
import { client } from '../support/http-client.ts';
import { runStatement } from '../support/run-statement.ts';
import { startServer } from '../support/server.ts';
import { newTempFolder } from '../support/temp-folder.ts';

const mainPath = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

function memoryd(database: TestDatabase, ...args: string[]): Promise<Ended> {
  const folder = newTempFolder('command');
  const env = { PATH: process.env.PATH, MEMORYD_DATABASE_URL: database.url };
  const child = spawn(process.execPath, [mainPath, ...args], { env, cwd: folder.path });
  let output = '';
  child.stdout.on('data', (data: Buffer) => (output += data));
  child.stderr.on('data', (data: Buffer) => (output += data));
  return new Promise((resolve) =>
    child.once('close', (code) => {
      folder.remove();
      resolve({ code, output });
    }),
  );
}

describe.each(engines)('memoryd check on %s', (engine) => {
  it('memoryd check reports and repairs with a service running, which notices', async () => {
    const database = await newDatabase(engine);
    const server = await startServer({ databaseUrl: database.url });
    const http = client(server.url, server.key);
    type Found = { data: { content: string }[] };
    const find = async (word: string) =>
      (await http.get<Found>(`/api/memories/search?context=false&q=${word}`)).body.data.map(
        ({ content }) => content,
      );
    for (const content of ['a walrus swims', 'the lighthouse']) await http.post('/api/memories', { content });
    expect(await find('walrus')).toEqual(['a walrus swims']);

    expect(await memoryd(database, 'check')).toMatchObject({
      code: 0,
      output: expect.stringContaining('Nothing is wrong.'),
    });

    await runStatement(
      database,
      `UPDATE memory_versions SET content = 'a penguin', term_count = 60 WHERE content LIKE '%walrus%'`,
    );
    await runStatement(database, 'UPDATE user_counters SET documents = 7');
    const found = await memoryd(database, 'check');
    expect(found.code).toBe(1);
    expect(found.output).toContain('1 documents with other words than their record');
    expect(found.output).toContain('1 records with a wrong number of terms');
    expect(found.output).toContain('the count of memories is off by 5');

    const repaired = await memoryd(database, 'check', '--repair');
    expect(repaired).toMatchObject({ code: 0, output: expect.stringContaining('Nothing is wrong.') });
    expect([await find('walrus'), await find('penguin')]).toEqual([[], ['a penguin']]);
    type Status = { data: { memories: number; searchIndex: { rebuild: unknown } } };
    const { data } = (await http.get<Status>('/api/system/context/status')).body;
    expect(data).toMatchObject({
      memories: 2,
      searchIndex: { rebuild: { state: 'idle', done: 0, total: 0 } },
    });
    expect(await memoryd(database, 'check')).toMatchObject({ code: 0 });
    await server.stop();
    await database.drop();
  });
});
