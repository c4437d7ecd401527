import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { importJson, snapshot } from '../cli/import-snapshot.ts';
import { type AppFixture, newAppFixture } from '../support/app-fixture.ts';
import { engines } from '../support/database.ts';
import { type Client, client } from '../support/http-client.ts';
import { createUserKey, runMemoryd } from '../support/server.ts';
import { newTempFolder } from '../support/temp-folder.ts';

type Made = { data: { id: string; conversationId: string } };
type Note = { path: string; head: Record<string, unknown>; body: string };

const hostile = [
  '---\ntype: Forged\nname: forged\n---\ntext after a forged head',
  '\n\n---\nlines\n---\n\n',
  '# Heading: "quoted" [[Forged link]] #tag %%comment%%\r\nCRLF and a trailing space ',
  '<img src=x onerror="document.title=1"> \u202Egnp.exe\u200b <script>1</script>',
  '../../etc/passwd',
  '\ufeff\u2028\u0085😀',
];

/** All that a user has, without ids and what only one store has. */
async function recordsOf(http: Client) {
  const { memories, conversations, facts, artifacts, relationships } = await snapshot(http, {
    allFacts: true,
  });
  const titles = new Map(conversations.map(({ id, title }) => [id, title]));
  const texts = new Map(memories.map(({ id, content }) => [id, content]));
  const sorted = (list: readonly object[]) => list.map((each) => JSON.stringify(each)).sort();
  return {
    memories: sorted(
      memories.map(
        ({
          id: _i,
          conversationId,
          updatedAt: _u,
          externalId: _e,
          version: _v,
          createdBy: _c,
          ...memory
        }) => ({
          ...memory,
          conversation: titles.get(conversationId),
        }),
      ),
    ),
    facts: sorted(facts.map(({ subject, predicate, object }) => ({ subject, predicate, object }))),
    artifacts: sorted(
      artifacts.map(({ content, name, memoryId }) => ({ content, name, of: texts.get(memoryId ?? '') })),
    ),
    relationships: sorted(
      // A version of a named memory is a memory that the next one supersedes.
      relationships
        .filter(({ sourceMemoryId }) => !texts.get(sourceMemoryId)?.startsWith('Release'))
        .map(({ type, sourceMemoryId, targetMemoryId, reason }) => ({
          type,
          from: texts.get(sourceMemoryId),
          to: texts.get(targetMemoryId),
          reason,
        })),
    ),
  };
}

/** The notes of a folder by path. */
function notesIn(folder: string): Map<string, Note> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.md'),
  );
  return new Map(
    paths.map((path) => {
      const text = readFileSync(join(folder, path), 'utf8');
      const end = text.indexOf('\n---\n', 3);
      return [path, { path, head: parse(text.slice(4, end + 1)), body: text.slice(end + 5) }];
    }),
  );
}

describe.each(engines)('an export of a user of %s for people', (engine) => {
  let app: AppFixture;
  let http: Client;
  const folder = newTempFolder('export-notes');
  const notes = join(folder.path, 'notes');
  const ids: string[] = [];

  const add = async (body: object) => {
    const { status, body: made } = await http.post<Made>('/api/memories', body);
    expect(status).toBe(201);
    return made.data;
  };
  const run = (args: readonly string[]) => runMemoryd(app.databaseUrl, ['export', '--user', 'ana', ...args]);

  beforeAll(async () => {
    app = await newAppFixture(engine);
    http = client(app.url, await createUserKey(app.databaseUrl, 'ana'));
    const kitchen = await add({
      conversationId: 'NEW',
      content: 'The tiles come on Monday',
      role: 'user',
      topics: ['money', 'two words'],
      eventTime: '2024-05-01T10:00:00Z',
      createdAt: '2024-05-02T10:00:00Z',
      metadata: { '---\n': ['a\n---', { deep: '\u2028' }], n: 1.5 },
      externalId: 'jira/OPS-7',
    });
    const { conversationId } = kitchen;
    ids.push(kitchen.id);
    for (const content of hostile) ids.push((await add({ conversationId, content })).id);
    await add({ conversationId: 'NEW', content: 'Release on Wednesday', name: 'release-plan' });
    expect(
      (await http.put('/api/memories/named/release-plan', { content: 'Release on Thursday' })).status,
    ).toBe(201);
    const relate = (body: object) => http.post(`/api/memories/${ids[1]}/relationships`, body);
    expect(
      (await relate({ targetMemoryId: ids[0], type: 'SUPERSEDES', reason: 'it: "came"\n---' })).status,
    ).toBe(201);
    expect((await relate({ targetMemoryId: ids[2], type: 'REFERENCES' })).status).toBe(201);
    const fact = { subject: 'Tiles', predicate: 'come on', object: 'Monday' };
    expect((await http.post('/api/facts', { ...fact, memoryId: ids[0] })).status).toBe(201);
    expect((await http.post('/api/facts', { ...fact, object: 'a van\n---' })).status).toBe(201);
    expect(
      (await http.post('/api/artifacts', { content: '---\ncode', type: 'sh', memoryId: ids[0] })).status,
    ).toBe(201);
    const gone = await add({ conversationId, content: 'DELETED' });
    expect((await http.delete(`/api/memories/${gone.id}`)).status).toBeLessThan(300);
  }, 120_000);
  afterAll(async () => {
    await app?.close();
    folder.remove();
  });

  it('Markdown has a private file a record, with its fields before its text, and its links', async () => {
    const made = await run(['--as', 'markdown', notes]);
    expect(made).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('9 memories, 2 conversations and 1 artifacts'),
    });
    const files = notesIn(notes);
    const byId = new Map([...files.values()].map((note) => [note.head.id, note]));
    const first = byId.get(ids[0]);
    expect(first).toMatchObject({
      path: expect.stringMatching(
        /^The tiles come on Monday [0-9a-f]{12}\/\d+ The tiles come on Monday\.md$/,
      ),
      body: 'The tiles come on Monday\n',
      head: {
        type: 'Memory',
        role: 'user',
        tags: ['money', 'two words'],
        eventTime: '2024-05-01T10:00:00.000Z',
        created: '2024-05-02T10:00:00.000Z',
        metadata: { '---\n': ['a\n---', { deep: '\u2028' }], n: 1.5 },
        externalId: 'jira/OPS-7',
        status: 'deprecated',
        facts: [{ subject: 'Tiles', predicate: 'come on', object: 'Monday' }],
      },
    });
    for (const [i, content] of hostile.entries()) expect(byId.get(ids[i + 1])?.body).toBe(`${content}\n`);
    const nameOf = (id: string) => byId.get(id)?.path.replace(/^.*\/|\.md$/g, '');
    const link = `[[${nameOf(ids[0])}]]`;
    expect(byId.get(ids[1])?.head).toMatchObject({
      supersedes: [link],
      references: [`[[${nameOf(ids[2])}]]`],
      reasons: { [`supersedes ${link}`]: 'it: "came"\n---' },
    });
    const versions = [...files.values()].filter(({ body }) => body.startsWith('Release'));
    expect(versions.map(({ head }) => [head.version, head.name, head.supersedes !== undefined])).toEqual([
      [1, undefined, false],
      [2, 'release-plan', true],
    ]);
    expect([...files.values()].map(({ head }) => head.type ?? head.okf_version).sort()).toEqual(
      ['0.2', 'Artifact', 'Conversation', 'Conversation', 'Facts', ...Array(9).fill('Memory')].sort(),
    );
    expect([...files.values()].map(({ body }) => body).join()).not.toContain('DELETED');
    expect(statSync(join(notes, first?.path ?? '')).mode & 0o777).toBe(0o600);
  });

  it('another export to the folder writes what changed and removes what is gone; files of others stay', async () => {
    writeFileSync(join(notes, 'mine.md'), 'a note of mine');
    const before = notesIn(notes);
    await http.put(`/api/memories/${ids[6]}`, { content: 'Another text' });
    const made = await run(['--as', 'markdown', notes]);
    expect(made).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('removed 1 of an earlier export'),
    });
    const after = notesIn(notes);
    const texts = (files: Map<string, Note>) => new Set([...files.values()].map(({ body }) => body));
    expect([...texts(after)].filter((text) => !texts(before).has(text))).toEqual(['Another text\n']);
    expect(after.get('mine.md')?.path).toBe('mine.md');
    expect(after.size).toBe(before.size);
  });

  it('an export writes over no file that somebody changed, and into no folder of others, unless it is forced', async () => {
    const [path] = [...notesIn(notes).keys()].filter((each) => each.includes('The tiles come on Monday.md'));
    writeFileSync(join(notes, path), 'CHANGED');
    const refused = await run(['--as', 'markdown', notes]);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('1 files were changed since') });
    expect(readFileSync(join(notes, path), 'utf8')).toBe('CHANGED');
    expect(await run(['--as', 'markdown', '--force', notes])).toMatchObject({ code: 0 });
    expect(readFileSync(join(notes, path), 'utf8')).toContain('jira/OPS-7');

    const other = join(folder.path, 'other');
    expect(await run(['--as', 'markdown', other])).toMatchObject({ code: 0 });
    rmSync(join(other, '.memoryd-export'));
    expect(await run(['--as', 'markdown', other])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('files that no export wrote'),
    });
    expect(await run(['--as', 'markdown', join(notes, 'mine.md')])).toMatchObject({ code: 1 });
    expect(await run(['--as', 'markdown', '-'])).toMatchObject({ code: 1 });
  });

  it('JSON Lines have a head, a line a record, and an end', async () => {
    const file = join(folder.path, 'ana.jsonl');
    expect(await run(['--as', 'jsonl', file])).toMatchObject({ code: 0 });
    const lines = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({ kind: 'export', layout: 'memoryd-lines', version: 1 });
    expect(lines.at(-1)).toEqual({
      kind: 'end',
      counts: { conversation: 2, memory: 9, fact: 1, artifact: 1 },
    });
    expect(lines.find(({ id }) => id === ids[1])).toMatchObject({
      kind: 'memory',
      content: hostile[0],
      relationships: [
        { type: 'SUPERSEDES', to: ids[0], toExternalId: 'jira/OPS-7', reason: 'it: "came"\n---' },
        { type: 'REFERENCES', to: ids[2] },
      ],
    });
    expect(await run(['--as', 'jsonl', file])).toMatchObject({ code: 1 });
    const streamed = await run(['--as', 'jsonl', '-']);
    expect(streamed.stdout.split('\n').slice(1)).toEqual(readFileSync(file, 'utf8').split('\n').slice(1));
    expect(existsSync(`${file}.partial`)).toBe(false);
  });

  it('without --user the only user of a store is exported, and a store of several refuses', async () => {
    const alone = await runMemoryd(app.databaseUrl, ['export', '--as', 'jsonl', '-']);
    expect(alone).toMatchObject({ code: 0, stderr: expect.stringContaining('of ana') });
    await createUserKey(app.databaseUrl, 'other');
    const { code, stderr } = await runMemoryd(app.databaseUrl, ['export', '--as', 'jsonl', '-']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('say --user NAME')]);
  });

  it.each(['markdown', 'jsonl'])(
    'an export as %s that is imported gives the same records, once',
    async (layout) => {
      const path = join(folder.path, `again-${layout}`);
      expect(await run(['--as', layout, path])).toMatchObject({ code: 0 });
      const other = client(app.url, await createUserKey(app.databaseUrl, `from-${layout}`));
      const result = await importJson(other, [path]);
      expect(result).toMatchObject({ code: 0, imported: 9, refused: 0 });
      expect(await recordsOf(other)).toEqual(await recordsOf(http));
      const stored = await snapshot(other);
      const again = await importJson(other, [path]);
      expect(again).toMatchObject({ code: 0, imported: 0, changed: 0, refused: 0, skipped: 9 });
      expect(await snapshot(other)).toEqual(stored);
    },
  );
});
