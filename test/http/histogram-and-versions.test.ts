import { beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { type Client, client, type JsonObject } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

interface Bars {
  readonly data: readonly { from: string; to: string; count: number }[];
  readonly count: number;
}

interface Versions {
  readonly data: readonly { openedAt: string; closedAt: string | null; memory: { content: string } }[];
  readonly pagination: { readonly count: number; readonly nextCursor?: string };
}

describe.each(engines)('what the explorer asks for, on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;
  let other: Client;

  beforeAll(async () => {
    http = await app.newClient();
    other = await app.newClient();
  });
  const remember = async (content: string, more: JsonObject = {}) =>
    (await http.post<{ data: { id: string } }>('/api/memories', { content, conversationId: 'NEW', ...more }))
      .body.data;

  it('counts memories by days of a time zone, empty ones too, and as many as the list has', async () => {
    const times = [
      '2026-03-27T23:30:00Z',
      '2026-03-28T01:00:00Z',
      '2026-03-29T00:30:00Z',
      '2026-03-30T21:59:59Z',
    ];
    for (const eventTime of times) await remember('Tea.', { eventTime, topics: ['bars'] });
    const query = 'topics=bars&field=eventTime&unit=day';
    const berlin = (await http.get<Bars>(`/api/memories/histogram?${query}&timeZone=Europe/Berlin`)).body;
    // Summer time begins on 29 March: that day has 23 hours.
    expect(berlin.data).toEqual([
      { from: '2026-03-27T23:00:00.000Z', to: '2026-03-28T23:00:00.000Z', count: 2 },
      { from: '2026-03-28T23:00:00.000Z', to: '2026-03-29T22:00:00.000Z', count: 1 },
      { from: '2026-03-29T22:00:00.000Z', to: '2026-03-30T22:00:00.000Z', count: 1 },
    ]);
    const utc = (await http.get<Bars>(`/api/memories/histogram?${query}`)).body;
    expect(utc.data.map(({ count }) => count)).toEqual([1, 1, 1, 1]);
    const months = (await http.get<Bars>(`/api/memories/histogram?topics=bars&field=eventTime&unit=month`))
      .body;
    expect(months.data).toEqual([
      { from: '2026-03-01T00:00:00.000Z', to: '2026-04-01T00:00:00.000Z', count: 4 },
    ]);
    const list = await http.get<{ pagination: { count: number } }>(
      '/api/memories?topics=bars&eventTimeFrom=2026-03-28&eventTimeTo=2026-03-29',
    );
    expect(list.body.pagination.count).toBe(2);
    const part = await http.get<Bars>(
      '/api/memories/histogram?topics=bars&field=eventTime&eventTimeFrom=2026-03-28&eventTimeTo=2026-03-29',
    );
    expect(part.body.count).toBe(2);
    expect((await other.get<Bars>('/api/memories/histogram')).body).toEqual({ data: [], count: 0 });
  });

  it('chooses a unit with few bars, and refuses one with too many and unknown zones by name', async () => {
    await remember('Old.', { eventTime: '1999-01-01', topics: ['long'] });
    await remember('New.', { eventTime: '2026-01-01', topics: ['long'] });
    const bars = (await http.get<Bars>('/api/memories/histogram?topics=long&field=eventTime')).body.data;
    expect(bars).toHaveLength(28);
    const refused = (query: string) =>
      http.get(`/api/memories/histogram?topics=long&field=eventTime&${query}`);
    expect(await refused('unit=hour')).toMatchObject({ status: 422, body: { details: { field: 'unit' } } });
    expect(await refused('timeZone=Nowhere/X')).toMatchObject({
      status: 422,
      body: { details: { field: 'timeZone' } },
    });
  });

  it('lists the versions of a memory, newest first and by cursor, to its user only', async () => {
    const { id } = await remember('One.');
    for (const content of ['Two.', 'Three.']) await http.put(`/api/memories/${id}`, { content });
    const path = `/api/memories/${id}/versions`;
    const all = (await http.get<Versions>(path)).body;
    expect(all.data.map(({ memory }) => memory.content)).toEqual(['Three.', 'Two.', 'One.']);
    expect(all.data.map(({ closedAt }) => closedAt)).toEqual([
      null,
      all.data[0]?.openedAt,
      all.data[1]?.openedAt,
    ]);
    const first = (await http.get<Versions>(`${path}?limit=2`)).body;
    expect(first.pagination.count).toBe(3);
    const rest = (await http.get<Versions>(`${path}?limit=2&cursor=${first.pagination.nextCursor}`)).body;
    expect([...first.data, ...rest.data]).toEqual(all.data);
    const unknown = await other.get(
      `/api/memories/${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}/versions`,
    );
    const foreign = await other.get(path);
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    await http.delete(`/api/memories/${id}`);
    expect((await http.get(path)).status).toBe(404);
  });

  it('names the trash entry of each delete, by which it is undone', async () => {
    const memory = await remember('A note.');
    const fact = (
      await http.post<{ data: { id: string } }>('/api/facts', {
        subject: 'Bo',
        predicate: 'likes',
        object: 'tea',
      })
    ).body.data;
    const artifact = (
      await http.post<{ data: { id: string } }>('/api/artifacts', { content: 'x', type: 'text' })
    ).body.data;
    for (const path of [
      `/api/memories/${memory.id}`,
      `/api/facts/${fact.id}`,
      `/api/artifacts/${artifact.id}`,
    ]) {
      const deleted = await http.delete(path);
      const entry = deleted.headers.get('trash-entry');
      expect(entry).toBeTruthy();
      const id = path.slice(path.lastIndexOf('/') + 1);
      const listed = await http.get<{ data: { id: string }[] }>(`/api/trash?recordId=${id}`);
      expect(listed.body.data.map((each) => each.id)).toEqual([entry]);
      expect((await other.get<{ data: unknown[] }>(`/api/trash?recordId=${id}`)).body.data).toEqual([]);
      expect((await http.post(`/api/trash/${entry}/restore`)).status).toBe(200);
      expect((await http.get(path)).status).toBe(200);
    }
  });

  it('lets any key end itself, and no other', async () => {
    const made = await http.post<{ data: { apiKey: string } }>('/api/apikeys', {
      scopes: ['read'],
      expiresAt: '12h',
    });
    const { apiKey } = made.body.data;
    const own = client(app.url, apiKey);
    expect((await own.get('/api/apikeys/debug-user')).body).toMatchObject({
      data: { scopes: ['read'], expiresAt: expect.stringMatching(/Z$/) },
    });
    expect((await own.delete('/api/apikeys/current')).status).toBe(204);
    expect((await own.get('/api/memories')).status).toBe(401);
    expect((await http.get('/api/memories?limit=1')).status).toBe(200);
  });
});
