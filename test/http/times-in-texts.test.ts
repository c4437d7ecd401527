import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AppFixture, newAppFixture } from '../support/app-fixture.ts';
import { engines } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import type { Client } from '../support/http-client.ts';
import { readRows } from '../support/run-statement.ts';

interface Found {
  readonly data: readonly {
    readonly content: string;
    readonly score: number;
    readonly matchedVia: readonly string[];
    readonly explanation?: { readonly matchReason: string };
  }[];
}

const lake = 'Bea: we met at the lake last Friday.';
const soup = 'Carl cooked a soup of pumpkins';

describe.each(engines)('times that memories name, on %s', (engine) => {
  let app: AppFixture | undefined;
  let http: Client;
  beforeEach(async () => {
    app = await newAppFixture(engine);
    http = await app.newClient();
  });
  afterEach(async () => {
    await app?.close();
    app = undefined;
  });

  const derive = async () => {
    if (app) await deriveAll(app.services);
  };
  const remember = async (content: string, eventTime: string) => {
    const reply = await http.post<{ data: { id: string } }>('/api/memories', {
      content,
      eventTime,
      conversationId: 'NEW',
    });
    expect(reply.status).toBe(201);
    return reply.body.data.id;
  };
  const search = async (query: string, fields: object = {}) =>
    (await http.post<Found>('/api/memories/search', { query, ...fields })).body.data;
  /** Without what is found by the words of a date, where no memory is of it. */
  const contents = async (query: string, fields?: object) =>
    (await search(query, fields))
      .filter(({ matchedVia }) => matchedVia.includes('time'))
      .map(({ content }) => content);
  const rows = async () => {
    if (!app) return [];
    return readRows({ engine, url: app.databaseUrl }, 'SELECT from_at, to_at FROM named_times');
  };

  it('a question of a time alone finds what happened then and after it what names that time', async () => {
    await remember(soup, '2026-05-08T18:00:00Z');
    await remember(lake, '2026-05-13T09:00:00Z');
    await remember('Dora bought a kayak', '2026-05-20T09:00:00Z');
    await derive();
    for (const searchMethod of ['hybrid', 'keyword', 'semantic']) {
      const found = await search('what happened on 8 May 2026', { searchMethod, explain: true });
      expect(found.map(({ content }) => content)).toEqual([soup, lake]);
      expect(found.map(({ explanation }) => explanation?.matchReason)).toEqual([
        'Is of the time asked for: "on 8 May 2026".',
        'Its text names the time asked for: "on 8 May 2026".',
      ]);
      expect(found[1].matchedVia).toEqual(['time']);
    }
    expect(await contents('what happened on 9 May 2026')).toEqual([]);
  });

  it('a time next to other words finds what names that time', async () => {
    await remember(lake, '2026-05-13T09:00:00Z');
    for (let day = 10; day < 28; day++) await remember(`${soup} ${day}`, `2026-07-${day}T09:00:00Z`);
    await derive();
    const [first] = await search('where was everybody in the second week, on 8 May 2026', { explain: true });
    expect(first.content).toBe(lake);
    expect(first.matchedVia).toContain('time');
  });

  it('a time named in a text is counted from when the memory happened, also after that was changed', async () => {
    const id = await remember(lake, '2026-05-13T09:00:00Z');
    await derive();
    expect(await contents('what happened on 8 May 2026')).toEqual([lake]);
    expect((await http.put(`/api/memories/${id}`, { eventTime: '2026-06-17T09:00:00Z' })).status).toBe(200);
    await derive();
    expect(await contents('what happened on 8 May 2026')).toEqual([]);
    expect(await contents('what happened on 12 June 2026')).toEqual([lake]);
  });

  it('a search as of an earlier time finds a memory by the time that its text of then names', async () => {
    const id = await remember(lake, '2026-05-13T09:00:00Z');
    await derive();
    const before = new Date().toISOString();
    expect((await http.put(`/api/memories/${id}`, { content: soup })).status).toBe(200);
    await derive();
    expect(await contents('what happened on 8 May 2026')).toEqual([]);
    expect(await contents('what happened on 8 May 2026', { asOfTime: before })).toEqual([lake]);
  });

  it('times that an erased memory names are erased with it, and those in the trash are not found', async () => {
    const id = await remember(lake, '2026-05-13T09:00:00Z');
    await derive();
    expect(await rows()).toHaveLength(1);
    await http.delete(`/api/memories/${id}`);
    expect(await contents('what happened on 8 May 2026')).toEqual([]);
    const { body } = await http.get<{ data: { id: string }[] }>('/api/trash');
    for (const entry of body.data) expect((await http.delete(`/api/trash/${entry.id}`)).status).toBe(204);
    expect(await rows()).toEqual([]);
  });

  it('times that other users name find nothing', async () => {
    await remember(lake, '2026-05-13T09:00:00Z');
    await derive();
    http = await (app ?? (await newAppFixture(engine))).newClient();
    expect(await contents('what happened on 8 May 2026')).toEqual([]);
  });
});
