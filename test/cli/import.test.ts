import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { sqlitePath } from '../support/database.ts';
import { type Client, client } from '../support/http-client.ts';
import { poll } from '../support/poll.ts';
import { createUserKey, engines } from '../support/server.ts';
import { newTempFolder } from '../support/temp-folder.ts';
import { useServer } from '../support/use-server.ts';
import { listAll, listByTitle, runImport, spawnImport, startImport } from './import-process.ts';

describe.each(engines)('memoryd import on %s', (engine) => {
  const folder = newTempFolder('import');
  const server = useServer(engine);
  let users = 0;

  afterAll(() => folder.remove());

  const newUser = async (): Promise<Client> =>
    client(server.url, await createUserKey(server.databaseUrl, `importer-${++users}`));
  const write = (name: string, lines: readonly (object | string)[]): string => {
    const path = join(folder.path, name);
    const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
    writeFileSync(path, `${texts.join('\n')}\n`);
    return path;
  };

  it('an import groups lines into conversations, in their order, and gives them the time of the session', async () => {
    const http = await newUser();
    const trip = Array.from({ length: 20 }, (_, index) => ({
      conversation: 'The trip',
      sessionStart: '2024-05-01T10:00:00Z',
      content: `trip ${index}`,
    }));
    const file = write('grouped.jsonl', [
      ...trip.flatMap((line, index) => [line, { conversation: 'Work', content: `work ${index}` }]),
      '',
      {
        conversation: 'The trip',
        sessionStart: '2024-05-01',
        eventTime: '2024-06-02',
        content: 'trip later',
      },
      { conversation: null, sessionStart: null, content: 'alone', topics: ['one', 'two'], role: 'assistant' },
    ]);

    const end = await runImport(http, file);
    expect(end).toMatchObject({ code: 0, out: ['imported 42, refused 0, skipped 0'], err: [] });
    const numbers = Array.from({ length: 20 }, (_, index) => index);
    expect(await listByTitle(http)).toEqual({
      'The trip': [...numbers.map((number) => `trip ${number}`), 'trip later'],
      Work: numbers.map((number) => `work ${number}`),
      alone: ['alone'],
    });
    const stored = await listAll(http);
    const byContent = new Map(stored.map((memory) => [memory.content, memory]));
    expect(byContent.get('trip 7')?.eventTime).toBe('2024-05-01T10:00:00.000Z');
    expect(byContent.get('trip later')?.eventTime).toBe('2024-06-02T00:00:00.000Z');
    expect(byContent.get('alone')).toMatchObject({ topics: ['one', 'two'], role: 'assistant' });
    expect(readdirSync(folder.path).filter((name) => !/\.jsonl?$/.test(name))).toEqual([]);

    const again = await runImport(http, file);
    expect(again).toMatchObject({ code: 0, out: ['imported 0, refused 0, skipped 42'], err: [] });
    expect(await listAll(http)).toEqual(stored);
  });

  it('an import reports refused lines with their reason, and takes only those again when they are corrected', async () => {
    const http = await newUser();
    const lines: (object | string)[] = [
      { conversation: 'Good', content: 'first' },
      '{"content": "cut o',
      { conversation: 'Good', content: '' },
      ['content'],
      { conversation: 7, content: 'a number' },
      { conversation: 'Good', conversationId: 'NEW', content: 'twice' },
      { conversation: 'Good', content: 'when', sessionStart: 'the other day' },
      { conversationId: 'conv_of_nobody', content: 'lost' },
      { conversation: 'x'.repeat(501), content: 'long title' },
      { conversation: 'Good', content: 'last' },
    ];
    const file = write('refused.jsonl', lines);
    const refused = await runImport(http, file);
    expect(refused).toMatchObject({ code: 1, out: ['imported 2, refused 8, skipped 0'] });
    const reasons = [
      /^refused.jsonl, line 2 refused: the line is not JSON: ./,
      /^refused.jsonl, line 3 refused: content must not be empty/,
      /^refused.jsonl, line 4 refused: the line must be a JSON object$/,
      /^refused.jsonl, line 5 refused: conversation must be text$/,
      /^refused.jsonl, line 6 refused: conversation and conversationId cannot both be given$/,
      /^refused.jsonl, line 7 refused: sessionStart must be an ISO 8601/,
      /^refused.jsonl, line 8 refused: .*[Cc]onversation/,
      /^refused.jsonl, line 9 refused: its conversation: .*title.*500/,
    ];
    expect(refused.err).toHaveLength(reasons.length);
    for (const reason of reasons) expect(refused.err).toContainEqual(expect.stringMatching(reason));

    const repaired = lines.map((line, index) =>
      index > 0 && index < 9 ? { conversation: 'Good', content: `mended ${index}` } : line,
    );
    write('refused.jsonl', repaired);
    const second = await runImport(http, file);
    expect(second).toMatchObject({ code: 0, out: ['imported 8, refused 0, skipped 2'], err: [] });
    expect((await listByTitle(http)).Good?.sort()).toEqual(
      ['first', 'last', ...[1, 2, 3, 4, 5, 6, 7, 8].map((index) => `mended ${index}`)].sort(),
    );
    expect(readdirSync(folder.path).filter((name) => !/\.jsonl?$/.test(name))).toEqual([]);
  });

  it('an import stores what has an externalId once, and counts the fields that it ignored', async () => {
    const http = await newUser();
    const lines = [
      { content: 'one', externalId: 'n1', conversation: 'Notes', tags: ['a'], user_id: 'ana' },
      { content: 'two', externalId: 'n2', conversation: 'Notes', tags: ['b'], createdAt: '2021-03-04' },
      { content: 'three', externalId: 'n3', metadata: { tags: ['a'] } },
    ];
    const first = await runImport(http, write('once.jsonl', lines));
    expect(first).toMatchObject({
      code: 0,
      out: [
        'imported 3, refused 0, skipped 0',
        'ignored fields, unknown to the service: user_id (1). What is to be kept belongs into metadata.',
      ],
      err: [],
    });
    const again = await runImport(http, write('once-more.jsonl', lines));
    expect(again).toMatchObject({ code: 0, out: ['imported 0, refused 0, skipped 3'], err: [] });
    const stored = await listAll(http);
    expect(stored.map(({ content }) => content).sort()).toEqual(['one', 'three', 'two']);
    const { body } = await http.get<{ data: { createdAt: string }[] }>('/api/memories?externalId=n2');
    expect(body.data.map(({ createdAt }) => createdAt)).toEqual(['2021-03-04T00:00:00.000Z']);
    const conversations = await http.get<{ data: object[] }>('/api/conversations?minMemories=0');
    expect(conversations.body.data).toHaveLength(2);
  });

  it('an import reads what an export of memories returned', async () => {
    const http = await newUser();
    const made = await http.post<{ data: { conversationId: string } }>('/api/memories', {
      content: 'first',
      name: 'plan',
      topics: ['a', 'b'],
      validTo: '2034-05-06T00:00:00Z',
    });
    const { conversationId } = made.body.data;
    await http.post('/api/memories', { content: 'second', conversationId, eventTime: '2024-05-01' });
    await http.put('/api/memories/named/plan', { content: 'third', memoryType: 'semantic' });
    const exported = await http.post<Record<string, unknown>[]>('/api/memories/export', {});
    const path = join(folder.path, 'memories.json');
    writeFileSync(path, exported.text);
    const reader = await newUser();
    expect(await runImport(reader, path)).toMatchObject({
      code: 1,
      out: ['imported 2, refused 1, skipped 0'],
      err: [expect.stringMatching(/^memories.json, element \d refused: the memory is superseded/)],
    });
    const { body } = await reader.get<{ data: Record<string, unknown>[] }>('/api/memories?sortBy=eventTime');
    expect(body.data).toMatchObject([
      { content: 'third', name: 'plan', topics: ['a', 'b'], memoryType: 'semantic' },
      { content: 'second', eventTime: '2024-05-01T00:00:00.000Z' },
    ]);
    const third = exported.body.find(({ content }) => content === 'third');
    expect(body.data[0].createdAt).toBe(third?.createdAt);
    expect(Object.keys(await listByTitle(reader))).toEqual([`Import of ${conversationId}`]);
  });

  it('an import reads the archive of a user, with conversations, names and stated facts', async () => {
    const http = await newUser();
    const { body } = await http.post<{ data: { id: string } }>('/api/conversations', { title: 'Kitchen' });
    const made = await http.post<{ data: { id: string } }>('/api/memories', {
      content: 'The tiles come on Monday',
      conversationId: body.data.id,
      eventTime: '2024-05-01',
    });
    await http.post('/api/memories', { content: 'House rules', name: 'rules' });
    const fact = { subject: 'Tiles', predicate: 'come on', object: 'Monday', memoryId: made.body.data.id };
    await http.post('/api/facts', fact);
    const path = join(folder.path, 'archive.json');
    writeFileSync(path, (await http.get('/api/users/me/export')).text);
    const reader = await newUser();
    expect(await runImport(reader, path)).toMatchObject({
      code: 0,
      out: ['imported 2, refused 0, skipped 0'],
    });
    expect((await listByTitle(reader)).Kitchen).toEqual(['The tiles come on Monday']);
    const named = await reader.get<{ data: { content: string } }>('/api/memories/named/rules');
    expect(named.body.data.content).toBe('House rules');
    const facts = await reader.get<{ data: object[] }>('/api/facts?subject=Tiles');
    expect(facts.body.data).toContainEqual(
      expect.objectContaining({ predicate: 'come on', object: 'Monday' }),
    );
    expect(await runImport(reader, path)).toMatchObject({
      code: 0,
      out: ['imported 0, refused 0, skipped 2'],
    });
  });

  it.each(['SIGINT', 'SIGKILL'] as const)(
    'an import ended by %s and run again stores every line once',
    async (signal) => {
      const http = await newUser();
      const lines = Array.from({ length: 600 }, (_, index) => ({
        conversation: `talk ${index % 7}`,
        content: `line ${index}`,
      }));
      const file = write(`ended-${signal}.jsonl`, lines);
      const { child, ended } = startImport(http, file);
      await poll('some lines are stored', async () => {
        const { body } = await http.get<{ pagination: { count: number } }>('/api/memories?limit=1');
        return body.pagination.count > 60 ? true : undefined;
      });
      child.kill(signal);
      expect((await ended).code).toBe(signal === 'SIGINT' ? 130 : null);
      const before = (await listAll(http)).length;
      expect(before).toBeLessThan(600);

      const { code, out } = await runImport(http, file);
      expect(code).toBe(0);
      const [imported, refused, skipped] = (out.at(-1)?.match(/\d+/g) ?? []).map(Number);
      expect(refused).toBe(0);
      expect((imported ?? 0) + (skipped ?? 0)).toBe(600);
      expect(skipped).toBeGreaterThanOrEqual(signal === 'SIGINT' ? before : 1);
      const talks = await listByTitle(http);
      for (let talk = 0; talk < 7; talk++) {
        const expected = lines.filter((_, index) => index % 7 === talk).map(({ content }) => content);
        expect(talks[`talk ${talk}`]?.slice().sort()).toEqual(expected.sort());
      }
      expect(await listAll(http)).toHaveLength(600);
    },
  );

  it('an import knows lines that have moved, and stores equal lines as often as they are there', async () => {
    const http = await newUser();
    const file = write('moved.jsonl', [
      { content: 'a' },
      { content: '' },
      { content: 'b' },
      { content: 'a' },
    ]);
    expect((await runImport(http, file)).out).toEqual(['imported 3, refused 1, skipped 0']);
    write('moved.jsonl', [{ content: 'b' }, { content: 'c' }, { content: 'a' }, { content: 'a' }]);
    expect((await runImport(http, file)).out).toEqual(['imported 1, refused 0, skipped 3']);
    expect((await runImport(await newUser(), file)).out).toEqual(['imported 4, refused 0, skipped 0']);
    expect(await listAll(http)).toHaveLength(4);
  });

  it('an import leaves what was deleted here in the trash, and makes no conversation for it', async () => {
    const http = await newUser();
    const file = write('deleted.jsonl', [{ conversation: 'Gone', content: 'a' }, { content: 'b' }]);
    const first = await runImport(http, file);
    expect(first.notes).toEqual([
      `${file}: JSON Lines of memories`,
      expect.stringMatching(/^`npx memoryd imports undo [0-9a-f]{8}` takes it back\.$/),
    ]);
    for (const { id, conversationId } of await listAll(http)) {
      await http.delete(`/api/memories/${id}`);
      await http.delete(`/api/conversations/${conversationId}`);
    }
    const again = await runImport(http, file);
    expect(again).toMatchObject({ code: 0, out: ['imported 0, refused 0, skipped 0, deleted here 2'] });
    const conversations = await http.get<{ data: object[] }>('/api/conversations?minMemories=0');
    expect(conversations.body.data).toEqual([]);
  });

  it('an import takes folders and several files, names file and line of a refusal, and shows before what it would do', async () => {
    const http = await newUser();
    for (const name of ['notes', 'notes/deep', 'notes/.hidden'])
      mkdirSync(join(folder.path, name), { recursive: true });
    write('notes/b.jsonl', [
      { content: 'b', context: 'x'.repeat(20_000) },
      { content: 'long '.repeat(11_000) },
    ]);
    write('notes/deep/c.ndjson', [{ content: 'c' }, '{broken']);
    write('notes/.hidden/d.jsonl', [{ content: 'hidden' }]);
    writeFileSync(join(folder.path, 'notes/read.txt'), 'no memories');
    const alone = write('alone.jsonl', [{ content: 'alone' }]);
    const args = [join(folder.path, 'notes')];
    const dry = await runImport(http, alone, [...args, '--dry-run']);
    expect(dry).toMatchObject({
      code: 1,
      out: ['  alone', '  b', expect.any(String), '  c', 'would send memories 4; refused 1'],
    });
    expect(await listAll(http)).toEqual([]);
    const end = await runImport(http, alone, [...args, '--json']);
    expect(end.code).toBe(1);
    const { data } = JSON.parse(end.out.join('\n')) as { data: Record<string, unknown> };
    expect(data).toMatchObject({
      files: [alone, args[0]].map((name) => ({
        name,
        format: 'jsonl',
        title: 'JSON Lines of memories',
      })),
      imported: 2,
      refused: 3,
      importId: expect.any(String),
    });
    expect(data.refusals).toContainEqual({
      at: 'deep/c.ndjson, line 2',
      reason: expect.stringMatching(/^the line is not JSON/),
    });
    const unknown = join(folder.path, 'other.json');
    writeFileSync(unknown, '{\n  "results": []\n}\n');
    const refused = await runImport(http, unknown);
    expect(refused).toMatchObject({ code: 1, out: [] });
    expect(refused.err.join()).toContain('is of no format that memoryd knows');
    const { body } = await http.get<{ data: object[] }>('/api/imports');
    expect(body.data).toMatchObject([{ created: 2, refused: 2 }]);
  });

  it('an import finds the key and the port by itself', async () => {
    const file = write('alone.jsonl', [{ content: `by itself on ${engine}` }]);
    const cwd = engine === 'sqlite' ? dirname(sqlitePath(server.databaseUrl)) : folder.path;
    const env = { MEMORYD_DATABASE_URL: server.databaseUrl, MEMORYD_PORT: new URL(server.url).port };
    const without = await spawnImport([file], { cwd, env }).ended;
    expect(without.code).toBe(1);
    expect(without.err.join()).toContain('No API key');

    const byVariable = await spawnImport([file], { cwd, env: { ...env, MEMORYD_API_KEY: server.key } }).ended;
    expect(byVariable).toMatchObject({ code: 0, out: ['imported 1, refused 0, skipped 0'], err: [] });
    if (engine === 'sqlite') {
      writeFileSync(join(cwd, 'first-key'), `${server.key}\n`);
      const byFile = await spawnImport([file], { cwd, env }).ended;
      expect(byFile.out).toEqual(['imported 0, refused 0, skipped 1']);
    }
    const wrong = await runImport(client(server.url, 'cmk_live_0000.00000000000000000000'), file);
    expect(wrong).toMatchObject({ code: 1, out: [] });
    expect(wrong.err.join()).toContain('does not accept the key');
  });
});
