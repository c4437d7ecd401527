import { createHash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadFile } from '../../src/cli/transfer/load-file.ts';
import { readHead } from '../../src/cli/transfer/read-file.ts';
import { openStorage } from '../../src/container.ts';
import { exportedTables, userTables } from '../../src/storage/sql/core/user-data-tables.ts';
import { spawnImport } from '../cli/import-process.ts';
import { type AppFixture, newAppFixture } from '../support/app-fixture.ts';
import { engines, newDatabase } from '../support/database.ts';
import { type Client, client } from '../support/http-client.ts';
import { differences, responsesOf, writeHistory } from '../support/moved-records.ts';
import { readRows } from '../support/run-statement.ts';
import { createUserKey, runMemoryd } from '../support/server.ts';
import { newTempFolder } from '../support/temp-folder.ts';
import { testConfig } from '../support/test-config.ts';

const allColumns = {
  sqlite: `SELECT m.name AS "table", c.name AS "column" FROM sqlite_master AS m, pragma_table_info(m.name) AS c
    WHERE m.type = 'table'`,
  postgres: `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
    WHERE table_schema = 'public' AND table_name !~ '_p\\d+$'`,
} as const;

/** A line with the sum that belongs to it. */
function sealed(value: object): string {
  const text = JSON.stringify(value).slice(0, -1);
  return `${text},"crc":${crc32(text)}}`;
}

/** The lines with an end that belongs to them: what a careful forger would write. */
function ended(lines: readonly string[]): string {
  const text = lines.map((line) => `${line}\n`).join('');
  const values = lines.slice(1).map((line) => JSON.parse(line) as { table?: string });
  const rows: Record<string, number> = {};
  for (const { table } of values) if (table !== undefined) rows[table] = (rows[table] ?? 0) + 1;
  const sha256 = createHash('sha256').update(text).digest('hex');
  const users = values.filter(({ table }) => table === undefined).length;
  return `${text}${sealed({ end: { lines: lines.length, users, rows, sha256 } })}\n`;
}

describe.each(engines)('tables of %s', (engine) => {
  it('tables of a store are all known to exports', async () => {
    const database = await newDatabase(engine);
    const storage = await openStorage(testConfig({ MEMORYD_DATABASE_URL: database.url }), {
      exclusive: false,
    });
    await storage.close();
    const columns = await readRows(database, allColumns[engine]);
    await database.drop();
    const withUser = columns.filter((row) => row.column === 'user_id').map((row) => String(row.table));
    // A new table needs its line in `userTables`.
    const known = Object.keys(userTables);
    const ofTheIndex = ['keyword_documents'];
    expect(withUser.filter((table) => !ofTheIndex.includes(table)).sort()).toEqual(known.toSorted());
    // What has a meaning in one store only: numbers of vector spaces, documents under another name.
    const moved = columns.filter((row) => exportedTables.some((table) => table === row.table));
    expect(moved.filter(({ column }) => /(^space|_doc|^docs)$/.test(String(column)))).toEqual([]);
  });
});

describe.each(engines)('a user exported from %s', (engine) => {
  let source: AppFixture;
  let folder: { path: string; remove(): void };
  let file: string;
  let lines: string[];
  let responses: Record<string, unknown>;
  beforeAll(async () => {
    folder = newTempFolder('export');
    source = await newAppFixture(engine);
    // Others write before and between, so that document numbers of the user have gaps.
    const other = await source.newClient();
    await other.post('/api/memories', { content: 'the kettle of another user' });
    const http = client(source.url, await createUserKey(source.databaseUrl, 'ana'));
    await writeHistory(http, 40);
    await other.post('/api/memories', { content: 'another kettle of another user' });
    await writeMore(http);
    responses = await responsesOf(http);
    file = join(folder.path, 'ana.jsonl');
    const made = await runMemoryd(source.databaseUrl, ['export', '--user', 'ana', file]);
    expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('of ana') });
    lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  }, 240_000);
  afterAll(async () => {
    await source?.close();
    folder?.remove();
  });

  const writeMore = (http: Client) => http.post('/api/memories', { content: 'one more kettle' });
  const importTo = (app: AppFixture, path: string, user?: string) =>
    runMemoryd(app.databaseUrl, ['import', path, ...(user ? ['--user', user] : [])]);
  async function withTarget(body: (app: AppFixture) => Promise<void>, kind = engine): Promise<void> {
    const app = await newAppFixture(kind);
    try {
      await body(app);
    } finally {
      await app.close();
    }
  }

  it('an export of a user is a private file of a head, a user, rows and an end, without keys', () => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(lines[0])).toMatchObject({ format: 'memoryd-export', version: 1 });
    expect(JSON.parse(lines[1])).toMatchObject({ user: { name: 'ana' } });
    const { end } = JSON.parse(lines.at(-1) ?? '') as { end: { lines: number; rows: object } };
    expect(end.lines).toBe(lines.length - 1);
    expect(Object.keys(end.rows)).toEqual(
      expect.arrayContaining([
        'memories',
        'memory_versions',
        'memory_edges',
        'facts',
        'narratives',
        'trash_entries',
        'topic_merges',
      ]),
    );
    const text = lines.join('\n');
    for (const absent of ['api_keys', 'secret_hash', 'idempotency', 'user_terms', 'another user'])
      expect(text).not.toContain(absent);
  });

  it.each(engines)(
    'a user answers the same after an import to a new user on %s',
    (kind) =>
      withTarget(async (app) => {
        await (await app.newClient()).post('/api/memories', { content: 'a kettle that was here before' });
        expect(await importTo(app, file, 'ana2')).toMatchObject({ code: 0 });
        const key = await createUserKey(app.databaseUrl, 'ana2');
        expect(differences(await responsesOf(client(app.url, key)), responses)).toEqual([]);
        expect(await runMemoryd(app.databaseUrl, ['check'])).toMatchObject({ code: 0 });

        const again = join(folder.path, `again-${kind}.jsonl`);
        await runMemoryd(app.databaseUrl, ['export', '--user', 'ana2', again]);
        const withoutDocs = (text: string) =>
          text
            .trimEnd()
            .split('\n')
            .slice(2, -1)
            .map((line) => line.replace(/"doc":\d+,|,"crc":\d+/g, ''));
        expect(withoutDocs(readFileSync(again, 'utf8'))).toEqual(withoutDocs(lines.join('\n')));
      }, kind),
    180_000,
  );

  it(
    'an import goes to a user without records, whose keys and id stay, and can be written on',
    () =>
      withTarget(async (app) => {
        const http = client(app.url, await createUserKey(app.databaseUrl, 'ana'));
        const before = (await http.get('/api/users/me')).body.data;
        expect(await importTo(app, file)).toMatchObject({ code: 0 });
        expect(differences(await responsesOf(http), responses)).toEqual([]);
        expect((await http.get('/api/users/me')).body.data).toEqual(before);
        expect(
          (await http.post('/api/memories', { content: 'a zwieback afterwards', conversationId: 'NEW' }))
            .status,
        ).toBe(201);
        const found = await http.get<{ data: unknown[] }>(
          '/api/memories/search?q=zwieback&searchMethod=keyword',
        );
        expect(found.body.data).toHaveLength(1);
        expect(await runMemoryd(app.databaseUrl, ['check'])).toMatchObject({ code: 0 });
        expect(await importTo(app, file)).toMatchObject({
          code: 1,
          stderr: expect.stringContaining('has records'),
        });
      }),
    180_000,
  );

  it(
    'an import is refused with the line when damaged, cut, foreign or forged, and nothing is written',
    () =>
      withTarget(async (app) => {
        const at = lines.findIndex((line) => line.startsWith('{"table":"memory_versions"'));
        const row = (JSON.parse(lines[at]) as { row: Record<string, unknown> }).row;
        const forged = (change: object, table = 'memory_versions') =>
          ended([
            ...lines.slice(0, at),
            sealed({ table, row: { ...row, ...change } }),
            ...lines.slice(at + 1, -1),
          ]);
        const whole = lines.join('\n');
        const files: [string, number, string][] = [
          [lines.with(at, lines[at].replace(/"content":"./, '"content":"#')).join('\n'), at + 1, 'changed'],
          [lines.with(at, lines[at].slice(0, 40)).join('\n'), at + 1, 'cut off'],
          [lines.with(at, 'garbage').join('\n'), at + 1, 'cut off'],
          [whole.slice(0, -30), lines.length, 'cut off'],
          [lines.slice(0, -1).join('\n'), lines.length - 1, 'cut off'],
          [lines.toSpliced(at, 1).join('\n'), lines.length - 1, 'lines before'],
          [[...lines, lines[at]].join('\n'), lines.length + 1, 'after the end'],
          [
            ended([sealed({ ...JSON.parse(lines[0]), crc: undefined, version: 2 }), ...lines.slice(1, -1)]),
            1,
            'version 2',
          ],
          [
            ended([sealed({ ...JSON.parse(lines[0]), crc: undefined, schema: 99 }), ...lines.slice(1, -1)]),
            1,
            '99',
          ],
          [
            ended([
              sealed({ ...JSON.parse(lines[0]), crc: undefined, format: 'memoryd-backup' }),
              ...lines.slice(1, -1),
            ]),
            1,
            'restore',
          ],
          [forged({ content: 5 }), at + 1, 'content is not text'],
          [forged({ content: undefined }), at + 1, 'content is missing'],
          [forged({ extra: 1 }), at + 1, 'extra is unknown'],
          [forged({ doc: 999_999 }), at + 1, 'doc is beyond'],
          [forged({ rev: '1; DROP TABLE users' }), at + 1, 'rev is not integer'],
          [forged({}, 'users'), at + 1, 'there is no table users'],
          [forged({}, 'api_keys'), at + 1, 'there is no table api_keys'],
          [ended([lines[0], ...lines.slice(2, -1)]), 2, 'before its user'],
          [ended([lines[0], lines[1], lines[1], ...lines.slice(2, -1)]), 3, 'one user'],
        ];
        const path = join(folder.path, 'wrong.jsonl');
        const config = testConfig({ MEMORYD_DATABASE_URL: app.databaseUrl });
        const { transfer, close } = await openStorage(config, { exclusive: false });
        // As the command does it, without a process for each file.
        const refusal = async () => {
          const head = await readHead(path).catch((error: Error) => error.message);
          if (typeof head !== 'object') return head ?? 'no head';
          return loadFile(transfer, { path, name: path, head, format: 'memoryd-export', as: 'ana' }).then(
            () => 'nothing was refused',
            (error: Error) => error.message,
          );
        };
        for (const [text, line, reason] of files) {
          writeFileSync(path, `${text}\n`);
          const refused = await refusal();
          expect(refused).toContain(`wrong.jsonl, line ${line}: `);
          expect(refused).toContain(reason);
          expect(await app.services.users.list()).toEqual([]);
        }
        writeFileSync(path, '{"content": "a line of another kind"}\n');
        expect(await importTo(app, path)).toMatchObject({
          code: 1,
          stderr: expect.stringContaining('--key'),
        });
        // What no check of a line can see is undone.
        const twice = ended([...lines.slice(0, at + 1), lines[at], ...lines.slice(at + 1, -1)]);
        writeFileSync(path, twice);
        expect(await refusal()).not.toBe('nothing was refused');
        expect(await app.services.users.list()).toEqual([]);
        await close();
        expect(await importTo(app, file)).toMatchObject({ code: 0 });
        expect(await runMemoryd(app.databaseUrl, ['check'])).toMatchObject({ code: 0 });
      }),
    240_000,
  );

  it(
    'an import that was killed half-way starts again from the beginning',
    () =>
      withTarget(async (app) => {
        const http = client(app.url, await createUserKey(app.databaseUrl, 'ana'));
        const { child, ended: end } = spawnImport([file, '--user', 'ana'], {
          cwd: folder.path,
          env: { MEMORYD_DATABASE_URL: app.databaseUrl },
        });
        const half = async () => (await app.storage.users.listInactive()).length > 0;
        await expect.poll(half, { interval: 2, timeout: 30_000 }).toBe(true);
        child.kill('SIGKILL');
        expect((await end).code).toBe(null);
        expect((await http.get<{ data: unknown[] }>('/api/memories')).body.data).toEqual([]);
        expect(await half()).toBe(true);
        expect(await runMemoryd(app.databaseUrl, ['check'])).toMatchObject({ code: 0 });
        expect(await importTo(app, file)).toMatchObject({ code: 0 });
        expect(differences(await responsesOf(http), responses)).toEqual([]);
        expect(await half()).toBe(false);
        expect(await runMemoryd(app.databaseUrl, ['check'])).toMatchObject({ code: 0 });
      }),
    180_000,
  );

  it('an export overwrites no file, and a user who does not exist is not exported', async () => {
    expect(await runMemoryd(source.databaseUrl, ['export', '--user', 'ana', file])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is there already'),
    });
    const nobody = join(folder.path, 'nobody.jsonl');
    expect((await runMemoryd(source.databaseUrl, ['export', '--user', 'nobody', nobody])).code).toBe(1);
    expect(() => statSync(nobody)).toThrow();
  });
});
