import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, client } from '../support/http-client.ts';
import { createUserKey, engines } from '../support/server.ts';
import { newTempFolder } from '../support/temp-folder.ts';
import { useServer } from '../support/use-server.ts';
import { type ImportProcess, spawnImport } from './import-process.ts';
import { type ImportJson, importJson, type Snapshot, snapshot } from './import-snapshot.ts';

/** The numbers of `"kinds"`, without those that are 0. */
function kindsOf({ kinds }: Pick<ImportJson, 'kinds'>): Readonly<Record<string, object>> {
  const named = Object.entries(kinds).map(([kind, counts]) => [
    kind,
    Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
  ]);
  return Object.fromEntries(named.filter(([, counts]) => Object.keys(counts).length > 0));
}

interface Settings {
  readonly from: string;
  readonly fromKey: string;
  readonly args?: readonly string[];
}

const startFrom = (http: Client, { from, fromKey, args = [] }: Settings) =>
  spawnImport(['--from', from, '--url', http.url, '--key', http.key ?? '', ...args], {
    cwd: '/',
    env: { MEMORYD_FROM_KEY: fromKey },
  });
const runFrom = (http: Client, settings: Settings) => startFrom(http, settings).ended;

interface Created {
  readonly data: { readonly id: string; readonly conversationId: string };
}

const idOf = async (there: Client, path: string, body: object) =>
  (await there.post<Created>(path, body)).body.data.id;

/** One record of each kind, and more of what is told apart. */
async function fill(there: Client) {
  const { data: plan } = (
    await there.post<Created>('/api/memories', {
      conversationId: 'NEW',
      content: 'The tiles come on Monday 🧱',
      role: 'user',
      topics: ['kitchen'],
      metadata: { room: { floor: 1 } },
      createdAt: '2024-05-01T10:00:00.000Z',
      eventTime: '2024-05-03T00:00:00.000Z',
    })
  ).body;
  const paid = await idOf(there, '/api/memories', {
    conversationId: plan.conversationId,
    content: 'Paid the first half',
    externalId: 'bank:17',
    createdAt: '2024-05-02T10:00:00.000Z',
  });
  const later = await idOf(there, '/api/memories', {
    conversationId: 'NEW',
    content: 'The tiles come on Friday',
  });
  await there.post('/api/memories', { conversationId: 'NEW', name: 'worktop', content: 'Steel' });
  for (const content of ['Steel, then oak', 'Oak'])
    await there.put('/api/memories/named/worktop', { content });
  await there.post(`/api/memories/${later}/relationships`, {
    targetMemoryId: plan.id,
    type: 'SUPERSEDES',
    reason: 'The shop called.',
  });
  await there.post('/api/facts', {
    subject: 'Tiler',
    predicate: 'is called',
    object: 'Mirka',
    sourceMemoryId: plan.id,
  });
  await there.post('/api/artifacts', {
    content: '# Plan',
    type: 'markdown',
    name: 'plan',
    memoryId: plan.id,
  });
  const thread = await idOf(there, '/api/narratives', { title: 'Kitchen', rootMemoryId: plan.id });
  for (const memoryId of [paid, later]) await there.post(`/api/narratives/${thread}/memories`, { memoryId });
  await there.patch(`/api/narratives/${thread}`, { state: 'resolved', resolutionMemoryId: later });
  return { plan: plan.id, paid, later };
}

/** What is equal in two stores. */
function comparable({ memories, conversations, facts, artifacts, relationships }: Snapshot) {
  const contents = new Map(memories.map(({ id, content }) => [id, content]));
  return {
    memories: memories
      .map(({ content, name, version, role, topics, createdAt, eventTime, effectiveState }) => ({
        ...{ content, name, version, role, topics, createdAt, eventTime, effectiveState },
      }))
      .sort((a, b) => a.content.localeCompare(b.content)),
    conversations: conversations.map(({ title }) => title).sort(),
    facts: facts.map(({ subject, predicate, object }) => [subject, predicate, object]).sort(),
    artifacts: artifacts.map(({ name, content, memoryId = '' }) => [name, content, contents.get(memoryId)]),
    relationships: relationships.map(({ type, sourceMemoryId, targetMemoryId, reason }) => [
      ...[type, contents.get(sourceMemoryId), contents.get(targetMemoryId), reason],
    ]),
  };
}

async function narrativesOf(http: Client) {
  type Narrative = { id: string; title: string; state: string; topics: string[] };
  const { data } = (await http.get<{ data: Narrative[] }>('/api/narratives')).body;
  const threads: object[] = [];
  for (const { id, title, state, topics } of data) {
    const path = `/api/narratives/${id}/timeline`;
    const members = (await http.get<{ data: { memory: { content: string } }[] }>(path)).body.data;
    threads.push({ title, state, topics, memories: members.map(({ memory }) => memory.content) });
  }
  return threads;
}

describe.each(engines)('import --from on %s', (engine) => {
  const source = useServer(engine);
  const target = useServer(engine);
  let there: Client;
  let here: Client;
  let ids: Awaited<ReturnType<typeof fill>>;

  const run = async (args: readonly string[] = []): Promise<ImportJson> => {
    const settings = { from: source.url, fromKey: there.key ?? '', args: [...args, '--json'] };
    const { code, out, err } = await runFrom(here, settings);
    expect({ code, err }).toEqual({ code: 0, err: [] });
    return JSON.parse(out.join('\n')).data as ImportJson;
  };

  beforeAll(async () => {
    there = client(source.url, await createUserKey(source.databaseUrl, 'mover'));
    here = client(target.url, await createUserKey(target.databaseUrl, 'moved'));
    ids = await fill(there);
  });

  it('a dry run counts what the other service has and stores nothing', async () => {
    const counted = (await run(['--dry-run'])) as unknown as Record<string, unknown>;
    expect(counted).toMatchObject({
      conversations: 2,
      memories: 3,
      named: 3,
      facts: 1,
      artifacts: 1,
      relationships: 1,
      narratives: 1,
      refused: 0,
    });
    expect((await snapshot(here)).memories).toEqual([]);
  });

  it('all of a user arrives from another service; a second run makes nothing', async () => {
    const moved = await run();
    expect(kindsOf(moved)).toMatchObject({
      conversations: { stored: 2 },
      memories: { stored: 3 },
      named: { stored: 1, changed: 2 },
      facts: { stored: 1 },
      artifacts: { stored: 1 },
      relationships: { stored: 1 },
      narratives: { stored: 1 },
    });
    const [before, after] = [
      await snapshot(there, { allFacts: true }),
      await snapshot(here, { allFacts: true }),
    ];
    expect(comparable(after)).toEqual(comparable(before));
    expect(await narrativesOf(here)).toEqual(await narrativesOf(there));
    const history = await here.get<{ versions: { content: string }[] }>(
      '/api/memories/named/worktop/history',
    );
    expect(history.body.versions.map(({ content }) => content)).toEqual(['Oak', 'Steel, then oak', 'Steel']);

    const again = await run();
    expect(Object.values(kindsOf(again)).flatMap((counts) => Object.keys(counts))).toEqual(
      expect.arrayContaining(['unchanged']),
    );
    for (const counts of Object.values(kindsOf(again))) expect(Object.keys(counts)).toEqual(['unchanged']);
    expect(await snapshot(here, { allFacts: true })).toEqual(after);
    expect(await narrativesOf(here)).toEqual(await narrativesOf(there));
  });

  it('a newer text becomes a version, what is new is added, and what was deleted here stays deleted', async () => {
    await there.put(`/api/memories/${ids.plan}`, { content: 'The tiles come on Tuesday' });
    await there.put('/api/memories/named/worktop', { content: 'Oak, oiled' });
    await there.post('/api/memories', { conversationId: 'NEW', content: 'Ordered a sink' });
    const deleted = (await snapshot(here)).memories.find(({ externalId }) => externalId === 'bank:17');
    await here.delete(`/api/memories/${deleted?.id}`);
    const moved = await run();
    expect(moved).toMatchObject({ imported: 1, changed: 2, deletedHere: 1, refused: 0 });
    const contents = (await snapshot(here)).memories.map(({ content }) => content);
    expect(contents).toEqual(
      expect.arrayContaining(['The tiles come on Tuesday', 'Oak, oiled', 'Ordered a sink']),
    );
    expect(contents).not.toContain('Paid the first half');
    const plan = (await snapshot(here)).memories.find(
      ({ content }) => content === 'The tiles come on Tuesday',
    );
    const path = `/api/memories/${plan?.id}/versions`;
    const { data } = (await here.get<{ data: { memory: { content: string } }[] }>(path)).body;
    expect([...new Set(data.map(({ memory }) => memory.content))].sort()).toEqual([
      'The tiles come on Monday 🧱',
      'The tiles come on Tuesday',
    ]);
  });

  it('a narrative that was deleted here stays deleted, and one that goes on there goes on here', async () => {
    const path = '/api/narratives';
    const more = await idOf(there, path, { title: 'Sink', rootMemoryId: ids.later });
    await run();
    await there.post(`${path}/${more}/memories`, { memoryId: ids.plan });
    await there.patch(`${path}/${more}`, { state: 'resolved' });
    type Listed = { data: { id: string; title: string }[] };
    const { data } = (await here.get<Listed>(path)).body;
    await here.delete(`${path}/${data.find(({ title }) => title === 'Kitchen')?.id}`);
    const { narratives } = kindsOf(await run());
    expect(narratives).toEqual({ changed: 1, deletedHere: 1 });
    expect(await narrativesOf(here)).toEqual((await narrativesOf(there)).filter((_, i) => i === 0));
  });

  it('a relationship that was deleted here stays deleted', async () => {
    const { relationships } = await snapshot(here);
    const [{ id, sourceMemoryId }] = relationships;
    await here.delete(`/api/memories/${sourceMemoryId}/relationships/${id}`);
    expect(kindsOf(await run())).toMatchObject({ relationships: { deletedHere: 1 } });
    expect((await snapshot(here)).relationships).toEqual([]);
  });

  it('an import of what came from this store finds it by its ids and stores nothing twice', async () => {
    const before = await snapshot(there, { allFacts: true });
    const archive = await there.get<object>('/api/users/me/export');
    const folder = newTempFolder('own');
    const file = join(folder.path, 'export.json');
    writeFileSync(file, JSON.stringify(archive.body));
    for (const counted of [
      await importJson(there, [file]),
      await importJson(there, [`--from=${source.url}`], ['--from-key', there.key ?? '']),
    ]) {
      expect(counted).toMatchObject({ code: 0, imported: 0, changed: 0, refused: 0 });
      for (const counts of Object.values(kindsOf(counted)))
        expect(Object.keys(counts)).toEqual(['unchanged']);
    }
    expect(await snapshot(there, { allFacts: true })).toEqual(before);
    folder.remove();
  });

  it('an import that is killed in the middle, again and again, is completed by the next one', async () => {
    const from = client(source.url, await createUserKey(source.databaseUrl, 'mover-2'));
    const into = client(target.url, await createUserKey(target.databaseUrl, 'moved-2'));
    await fill(from);
    let left = 0;
    let running: ImportProcess | undefined;
    const between = createServer(async ({ url, headers: { authorization = '' } }, response) => {
      if (--left < 0) return running?.child.kill('SIGKILL');
      const answer = await fetch(source.url + url, { headers: { authorization } });
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
    });
    await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve));
    const address = between.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
    const stored: number[] = [];
    for (const requests of [5, 9, 12]) {
      left = requests;
      running = startFrom(into, { from: url, fromKey: from.key ?? '' });
      expect((await running.ended).code).toBeNull();
      stored.push((await snapshot(into)).memories.length);
    }
    expect(stored.some((count) => count > 0)).toBe(true);
    const last = await runFrom(into, { from: source.url, fromKey: from.key ?? '' });
    expect(last.code).toBe(0);
    const [before, after] = [
      await snapshot(from, { allFacts: true }),
      await snapshot(into, { allFacts: true }),
    ];
    expect(comparable(after)).toEqual(comparable(before));
    expect(await narrativesOf(into)).toEqual(await narrativesOf(from));
    between.closeAllConnections();
    between.close();
  }, 120_000);

  it('a wrong key, a service that is away and a wrong command line are said in one sentence', async () => {
    const wrong = await runFrom(here, { from: source.url, fromKey: 'mem_wrong' });
    expect(wrong).toMatchObject({ code: 1, out: [] });
    expect(wrong.err.join()).toMatch(/does not accept the key of MEMORYD_FROM_KEY: /);
    const away = await runFrom(here, { from: 'http://127.0.0.1:2', fromKey: 'any' });
    expect(away).toMatchObject({ code: 1, out: [] });
    expect(away.err.join()).toMatch(/^memoryd: http:\/\/127\.0\.0\.1:2 is not available: .*ECONNREFUSED/);
    const keyless = await runFrom(here, { from: source.url, fromKey: '' });
    expect(keyless.err.join()).toMatch(/No key for http:.*: give --from-key or MEMORYD_FROM_KEY\.$/);
    const both = await runFrom(here, { from: source.url, fromKey: 'any', args: ['notes'] });
    expect([both.code, both.err.join()]).toEqual([2, expect.stringContaining('--from takes no paths')]);
    const none = await spawnImport([], { cwd: '/' }).ended;
    expect([none.code, none.err.join()]).toEqual([2, expect.stringContaining('or --from URL')]);
  });
});

describe('import --from a service that never responds', () => {
  const server = createServer(() => undefined);
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it('a service that takes the request and never responds is given up after its deadline', async () => {
    const address = server.address();
    const from = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
    const { code, err } = await runFrom(client('http://127.0.0.1:2', 'any'), { from, fromKey: 'any' });
    expect([code, err.join()]).toEqual([1, expect.stringMatching(/is not available: no answer \(.*timeout/)]);
  }, 30_000);
});
