import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { type AppFixture, newAppFixture } from '../support/app-fixture.ts';
import { engines, sqlitePath } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';

type One = { data: { id: string; conversationId: string } };
type Entry = { id: string; kind: string; recordId: string; title: string; counts: Record<string, number> };

let app: AppFixture | undefined;
afterEach(async () => {
  await app?.close();
  app = undefined;
});

const remember = async (http: Client, extra: object = {}) =>
  (await http.post<One>('/api/memories', { content: 'x', conversationId: 'NEW', ...extra })).body.data;
const state = async (http: Client, object: string, extra: object = {}, headers = {}) =>
  (await http.post<One>('/api/facts', { subject: 'Ada', predicate: 'likes', object, ...extra }, headers)).body
    .data.id;
const keep = async (http: Client, content: string, extra: object = {}, headers = {}) =>
  (await http.post<One>('/api/artifacts', { content, type: 'note', ...extra }, headers)).body.data.id;
const entries = async (http: Client, kind: string) =>
  (await http.get<{ data: Entry[] }>(`/api/trash?kind=${kind}`)).body.data;
const facts = async (http: Client) =>
  (await http.get<{ data: { object: string }[] }>('/api/facts')).body.data.map(({ object }) => object);
const foundFacts = async (http: Client, query: string) =>
  (await http.post<{ count: number }>('/api/facts/search', { query })).body.count;
const artifacts = async (http: Client) =>
  (await http.get<{ data: { content: string }[] }>('/api/artifacts')).body.data.map(({ content }) => content);

async function erase(http: Client, kind: string): Promise<void> {
  const [entry] = await entries(http, kind);
  expect((await http.delete(`/api/trash/${entry.id}`)).status).toBe(204);
}
async function restore(http: Client, kind: string): Promise<unknown> {
  const [entry] = await entries(http, kind);
  const reply = await http.post<{ data: unknown }>(`/api/trash/${entry.id}/restore`);
  expect(reply.status).toBe(200);
  return reply.body;
}

describe.each(engines)('facts and artifacts in the trash on %s', (engine) => {
  it('facts and artifacts in the trash come back as they were', async () => {
    app = await newAppFixture(engine);
    const http = await app.newClient();
    const [factId, artifactId] = [
      await state(http, 'tea'),
      await keep(http, 'Some tides', { name: 'tides' }),
    ];
    const before = [await http.get(`/api/facts/${factId}`), await http.get(`/api/artifacts/${artifactId}`)];
    await http.delete(`/api/facts/${factId}`);
    await http.delete(`/api/artifacts/${artifactId}`);
    expect(await entries(http, 'fact')).toMatchObject([
      { recordId: factId, title: 'Ada likes tea', counts: { facts: 1 } },
    ]);
    expect(await entries(http, 'artifact')).toMatchObject([
      { recordId: artifactId, title: 'tides', counts: { artifacts: 1 } },
    ]);
    await restore(http, 'fact');
    await restore(http, 'artifact');
    const after = [await http.get(`/api/facts/${factId}`), await http.get(`/api/artifacts/${artifactId}`)];
    expect(after.map(({ body }) => body)).toEqual(before.map(({ body }) => body));
    expect(await foundFacts(http, 'tea')).toBe(1);
    expect([await entries(http, 'fact'), await entries(http, 'artifact')]).toEqual([[], []]);
  });

  it('facts and artifacts in the trash come back with the memory or conversation that they belong to', async () => {
    app = await newAppFixture(engine);
    const http = await app.newClient();
    const { id: memoryId, conversationId } = await remember(http);
    await state(http, 'tea', { memoryId });
    await keep(http, 'of memory', { memoryId });
    await keep(http, 'of conversation', { conversationId });
    await http.delete(`/api/memories/${memoryId}`);
    expect([await facts(http), await artifacts(http)]).toEqual([[], ['of conversation']]);
    await restore(http, 'memory');
    expect([await facts(http), await artifacts(http)]).toEqual([['tea'], ['of conversation', 'of memory']]);
    await http.delete(`/api/conversations/${conversationId}`);
    expect([await facts(http), await artifacts(http), await foundFacts(http, 'tea')]).toEqual([[], [], 0]);
    await restore(http, 'conversation');
    expect([await facts(http), await artifacts(http)]).toEqual([['tea'], ['of conversation', 'of memory']]);
    expect(await foundFacts(http, 'tea')).toBe(1);
  });

  it('facts and artifacts that were deleted themselves stay in the trash when their memory is restored', async () => {
    app = await newAppFixture(engine);
    const http = await app.newClient();
    const { id: memoryId } = await remember(http);
    const factId = await state(http, 'tea', { memoryId });
    await http.delete(`/api/facts/${factId}`);
    await http.delete(`/api/memories/${memoryId}`);
    await restore(http, 'memory');
    expect(await facts(http)).toEqual([]);
    await restore(http, 'fact');
    expect(await facts(http)).toEqual(['tea']);
    await http.delete(`/api/facts/${factId}`);
    await http.delete(`/api/memories/${memoryId}`);
    await restore(http, 'memory');
    expect(await facts(http)).toEqual([]);
  });

  it('facts and artifacts in the trash are erased with what they came of alone, and their entries with them', async () => {
    app = await newAppFixture(engine);
    const http = await app.newClient();
    const [first, second] = [await remember(http), await remember(http)];
    const both = { memoryId: first.id, sourceMemoryId: second.id };
    await state(http, 'of both', both);
    await state(http, 'of none');
    await state(http, 'of first', { memoryId: first.id });
    await keep(http, 'of first', { memoryId: first.id });
    await keep(http, 'of second', { memoryId: second.id });
    const deleted = await state(http, 'deleted', { memoryId: first.id });
    await http.delete(`/api/facts/${deleted}`);
    await http.delete(`/api/memories/${first.id}`);
    await erase(http, 'memory');
    expect([await facts(http), await artifacts(http)]).toEqual([['of none', 'of both'], ['of second']]);
    expect([await foundFacts(http, 'first'), await foundFacts(http, 'ada')]).toEqual([0, 2]);
    expect(await entries(http, 'fact')).toEqual([]);
    await keep(http, 'of conversation', { conversationId: second.conversationId });
    await http.delete(`/api/conversations/${second.conversationId}`);
    await erase(http, 'conversation');
    expect([await facts(http), await artifacts(http)]).toEqual([['of none'], []]);
  });
});

describe('facts and artifacts erased for good on sqlite', () => {
  const rare = ['xylophonist', 'quagmire', 'zymotic', 'borborygmus'];

  function wordsInFile(url: string): string[] {
    const path = sqlitePath(url);
    const bytes = Buffer.concat([path, `${path}-wal`].map((file) => readFileSync(file)));
    return rare.filter((word) => bytes.includes(word));
  }
  async function write(http: Client, place: object = {}) {
    const once = () => ({ 'idempotency-key': randomUUID() });
    const factId = await state(http, 'xylophonist', { subject: 'quagmire', ...place }, once());
    const artifactId = await keep(http, 'zymotic', { metadata: { a: 'borborygmus' }, ...place }, once());
    return { factId, artifactId };
  }

  it('facts and artifacts erased for good leave nothing in the file', async () => {
    app = await newAppFixture('sqlite');
    const http = await app.newClient();
    const { factId, artifactId } = await write(http);
    await http.delete(`/api/facts/${factId}`);
    await http.delete(`/api/artifacts/${artifactId}`);
    expect(wordsInFile(app.databaseUrl)).toEqual(rare);
    await erase(http, 'fact');
    await erase(http, 'artifact');
    expect(wordsInFile(app.databaseUrl)).toEqual([]);
  });

  it('facts and artifacts leave nothing when their memory or conversation is erased', async () => {
    app = await newAppFixture('sqlite', { MEMORYD_TRASH_DAYS: '0' });
    const http = await app.newClient();
    const first = await remember(http);
    await write(http, { memoryId: first.id });
    await http.delete(`/api/memories/${first.id}`);
    expect(wordsInFile(app.databaseUrl)).toEqual([]);
    const second = await remember(http);
    await write(http, { memoryId: second.id });
    await http.delete(`/api/conversations/${second.conversationId}`);
    expect(wordsInFile(app.databaseUrl)).toEqual([]);
    const { factId, artifactId } = await write(http);
    await http.delete(`/api/facts/${factId}`);
    await http.delete(`/api/artifacts/${artifactId}`);
    expect(wordsInFile(app.databaseUrl)).toEqual([]);
  });
});
