import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { client } from '../support/http-client.ts';
import { createUserKey, engines, newDatabase } from '../support/server.ts';
import { newTempFolder } from '../support/temp-folder.ts';
import { useServer } from '../support/use-server.ts';
import { run, runCli, serviceEnv } from './run-cli.ts';

const mainPath = new URL('../../dist/main.js', import.meta.url).pathname;
type Listed = { data: { content: string }[] };

describe.each(engines)('standard streams on %s', (engine) => {
  const folder = newTempFolder('streams');
  const server = useServer(engine);
  afterAll(() => folder.remove());

  const ofStore = (input?: string) => ({
    env: { MEMORYD_DATABASE_URL: server.databaseUrl },
    input,
    cwd: folder.path,
  });
  const newUser = async (name: string) => {
    const key = await createUserKey(server.databaseUrl, name);
    const contents = async () => {
      const { body } = await client(server.url, key).get<Listed>('/api/memories?order=asc');
      return body.data.map(({ content }) => content);
    };
    return { contents, env: serviceEnv({ url: server.url, key }), http: client(server.url, key) };
  };

  it('standard streams take an export of a user, which import reads from standard input', async () => {
    const { http } = await newUser('ana');
    await http.post('/api/memories', { content: 'over a pipe' });
    const exported = await runCli(['export', '--user', 'ana', '-'], ofStore());
    expect(exported).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Wrote 1 memories, /) });
    expect(exported.stdout).toMatch(/^\{"format":"memoryd-export",/);
    expect(readdirSync(folder.path)).toEqual([]);
    const { contents } = await newUser('ben');
    const imported = await runCli(['import', '--user', 'ben', '-'], ofStore(exported.stdout));
    expect(imported).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Stored \d+ rows for ben\.\n$/),
    });
    expect(await contents()).toEqual(['over a pipe']);
    const cut = await runCli(['import', '--user', 'cut', '-'], ofStore(exported.stdout.slice(0, -50)));
    expect(cut).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^memoryd: standard input, line \d+: .* Nothing was stored\.\n$/),
    });
  });

  it('standard streams are read by an import as lines: from -, /dev/stdin, and what a shell makes of a command', async () => {
    const { contents, env } = await newUser('lines');
    const line = (content: string) => `${JSON.stringify({ content })}\n`;
    expect(await runCli(['import', '-'], { env, input: line('one') })).toMatchObject({
      code: 0,
      stdout: 'imported 1, refused 0, skipped 0\n',
    });
    expect((await runCli(['import', '/dev/stdin'], { env, input: line('two') })).code).toBe(0);
    const substituted = `node ${mainPath} import <(printf '%s' '${line('three').trim()}')`;
    expect(await run('bash', ['--norc', '-c', substituted], { env })).toMatchObject({ code: 0 });
    expect(await contents()).toEqual(['one', 'two', 'three']);
    // A line is known again, whatever stream has it.
    expect((await runCli(['import', '-'], { env, input: line('one') })).stdout).toContain('skipped 1');
    expect((await runCli(['import', '-'], { env, input: line('one') + line('four') })).stdout).toContain(
      'imported 1, refused 0, skipped 1',
    );
  });

  it('standard streams and folders without files of memories are told apart by import', async () => {
    mkdirSync(join(folder.path, 'notes'));
    const { code, stderr } = await runCli(['import', 'notes'], ofStore());
    expect(code).toBe(1);
    expect(stderr).toBe('memoryd: notes has no files.\n');
    expect((await runCli(['import', 'nowhere.jsonl'], ofStore())).stderr).toBe(
      'memoryd: There is no file nowhere.jsonl.\n',
    );
  });

  it('standard streams take a backup as lines, which restore reads', async () => {
    const copied = await runCli(['backup', '--lines', '-'], ofStore());
    expect(copied).toMatchObject({ code: 0, stderr: expect.stringMatching(/^The store is copied\. /) });
    const target = await newDatabase(engine);
    const options = { env: { MEMORYD_DATABASE_URL: target.url }, input: copied.stdout };
    expect(await runCli(['restore', '-'], options)).toMatchObject({ code: 0 });
    const { stdout } = await runCli(['users', 'list'], options);
    expect(stdout).toContain('ana');
    await target.drop();
  });

  it('standard streams that are closed early make the export fail', async () => {
    const { http } = await newUser('much');
    const content = 'x'.repeat(40_000);
    for (let i = 0; i < 20; i++) await http.post('/api/memories', { content: `${i} ${content}` });
    const words = `node ${mainPath} export --user much - | head -c 10 >/dev/null; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = await run('bash', ['--norc', '-c', words], ofStore());
    expect(stdout).toBe('1\n');
    expect(stderr).toMatch(/^memoryd: Standard output cannot be written \(.*EPIPE/);
  });
});

describe('an SQLite store', () => {
  it('an SQLite store is copied to a file without anything else next to it, and restored without anything next to the copy', async () => {
    const folder = newTempFolder('leftovers');
    const database = await newDatabase('sqlite');
    await createUserKey(database.url, 'ana');
    const file = join(folder.path, 'copy.db');
    const options = { env: { MEMORYD_DATABASE_URL: database.url }, cwd: folder.path };
    expect(await runCli(['backup', file], options)).toMatchObject({ code: 0 });
    expect(readdirSync(folder.path)).toEqual(['copy.db']);
    const bytes = readFileSync(file);
    expect(await runCli(['restore', '--yes', file], options)).toMatchObject({ code: 0 });
    expect(readdirSync(folder.path)).toEqual(['copy.db']);
    expect(readFileSync(file).equals(bytes)).toBe(true);
    expect(await runCli(['backup', '-'], options)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('--lines'),
    });
    // A stream may be a copy of the file, too.
    expect(await runCli(['restore', '--yes', '-'], { ...options, input: bytes })).toMatchObject({ code: 0 });
    expect((await runCli(['users', 'list'], options)).stdout).toContain('ana');
    await database.drop();
    folder.remove();
  });
});
