import { beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

type Data = Record<string, unknown> & {
  id: string;
  content: string;
  conversationId: string;
  createdAt: string;
};
type Listing = {
  data: Data[];
  pagination: { limit: number; offset: number; count: number };
  filtersApplied: Record<string, unknown>;
};

describe.each(engines)('lists of memories on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;
  const made: Data[] = [];

  beforeAll(async () => {
    http = await app.newClient();
    const bodies = [
      { content: 'one', topics: ['Sea'], eventTime: '2024-01-03', conversationId: 'NEW' },
      {
        content: 'two',
        topics: ['sea', 'sky'],
        eventTime: '2024-01-01',
        taskId: 'task',
        outcome: 'resolved',
      },
      { content: 'three', topics: ['sky'], codeContext: { product: 'boat', team: 'crew' } },
      { content: 'four', eventTime: '2024-01-02', codeContext: { product: 'boat' }, outcome: 'unresolved' },
    ];
    for (const body of bodies) made.push((await http.post<{ data: Data }>('/api/memories', body)).body.data);
  });

  const list = async (query: string) => {
    const reply = await http.get<Listing>(`/api/memories?${query}`);
    expect([query, reply.status]).toEqual([query, 200]);
    return reply.body;
  };
  const contents = async (query: string) => (await list(query)).data.map(({ content }) => content);

  it('lists of memories are newest first, in pages that add up', async () => {
    expect(await contents('')).toEqual(['four', 'three', 'two', 'one']);
    const page = await list('limit=3&offset=2');
    expect(page.data.map(({ content }) => content)).toEqual(['two', 'one']);
    expect(page.pagination).toEqual({ limit: 3, offset: 2, count: 4 });
    expect(await contents('limit=3&page=2')).toEqual(['one']);
    expect(await contents('limit=3&page=9')).toEqual([]);
    expect((await list('limit=5000')).pagination.limit).toBe(1000);
  });

  it('lists of memories are sorted by writing, change or event, either way', async () => {
    expect(await contents('sortBy=createdAt&order=asc')).toEqual(['one', 'two', 'three', 'four']);
    expect(await contents('sortBy=eventTime&order=asc')).toEqual(['two', 'four', 'one', 'three']);
    const first = made[0];
    await http.put(`/api/memories/${first.id}`, { context: 'changed' });
    expect((await contents('sortBy=updatedAt'))[0]).toBe('one');
  });

  it.each([
    ['topics=SEA', ['two', 'one']],
    ['topics=sea,sky', ['three', 'two', 'one']],
    ['excludeTopics=sea', ['four', 'three']],
    ['topics=sky&excludeTopics=sea', ['three']],
    ['topics=%20,', ['four', 'three', 'two', 'one']],
    ['taskId=task', ['two']],
    ['outcomeFilter=resolved', ['two']],
    ['outcomeFilter=any', ['four', 'three', 'two', 'one']],
    ['scope=product:boat', ['four', 'three']],
    ['scope=product:boat,team:crew', ['three']],
    ['recent=1h', ['four', 'three', 'two', 'one']],
    ['from=2999-01-01', []],
    ['from=2999-01-01&recent=1h', ['four', 'three', 'two', 'one']],
    ['to=2000-01-01', []],
    ['conversationId=conv_nobody', []],
    ['unknown=ignored', ['four', 'three', 'two', 'one']],
  ])('lists of memories are filtered by %s', async (query, expected) => {
    expect(await contents(query)).toEqual(expected);
  });

  it('lists of memories contain what was written on a day when asked to its end', async () => {
    const today = made[3].createdAt.slice(0, 10);
    expect(await contents(`from=${made[0].createdAt}&to=${today}`)).toHaveLength(4);
    expect(await contents(`to=${made[0].createdAt}`)).toContain('one');
  });

  it('lists of memories are found by a prefix of the id, whatever its case', async () => {
    const { id } = made[1];
    expect(await contents(`idPrefix=${id.slice(0, 8).toUpperCase()}`)).toEqual(['two']);
    expect(await contents(`idPrefix=${id}`)).toEqual(['two']);
    expect(await contents('idPrefix=zzzzzz')).toEqual([]);
  });

  it('lists of memories say which filters were applied', async () => {
    const { conversationId } = made[0];
    const query = `topics=a,b&excludeTopics=c&conversationId=${conversationId}&scope=team:t&from=2024-01-01&to=2024-01-02`;
    expect((await list(query)).filtersApplied).toEqual({
      topics: ['a', 'b'],
      excludeTopics: ['c'],
      conversationId,
      scope: { team: 't' },
      from: '2024-01-01T00:00:00.000Z',
      to: '2024-01-02T23:59:59.999Z',
    });
  });

  it.each([
    ['limit=0', /^limit /],
    ['limit=x', /^limit /],
    ['offset=-1', /^offset /],
    ['page=0', /^page /],
    ['idPrefix=12345', 'idPrefix must have at least 6 characters'],
    ['sortBy=name', /^sortBy must be one of/],
    ['order=up', /^order must be one of/],
    ['from=yesterday', /^from must be an ISO 8601/],
    ['to=2024-13-01', /^to must be an ISO 8601/],
    ['recent=soon', /^recent must be a window/],
    ['from=2024-02-01&to=2024-01-01', /^from and to contradict/],
    ['recent=1h&to=2024-01-01', /^recent and to contradict/],
    ['scope=product', /^scope must be key:value/],
    ['outcomeFilter=maybe', /^outcomeFilter must be one of/],
  ])('lists of memories are refused for %s', async (query, error) => {
    const reply = await http.get<{ error: string }>(`/api/memories?${query}`);
    expect(reply.status).toBe(422);
    expect(reply.body.error).toMatch(error);
  });

  it('lists of memories answer 400 for an unknown key of scope', async () => {
    const reply = await http.get('/api/memories?scope=colour:red');
    expect([reply.status, reply.body.code]).toEqual([400, 'SCOPE_KEY_UNKNOWN']);
  });

  it('lists of memories are counted by time and by topic', async () => {
    const stats = async (query: string) => {
      const reply = await http.get<Record<string, unknown>>(`/api/memories/stats?${query}`);
      expect(reply.status).toBe(200);
      return reply.body;
    };
    const today = made[0].createdAt.slice(0, 10);
    expect(await stats('')).toEqual({
      groupBy: 'day',
      data: [{ bucket: today, count: 4 }],
      derived: { entities: 0, facts: 0, topics: 0, memoriesWithEntities: 0 },
      total: 4,
      feedback: { selected: 0, notSelected: 0, byMethod: [] },
      filters: {},
    });
    expect(await stats('groupBy=month')).toMatchObject({ data: [{ bucket: today.slice(0, 7), count: 4 }] });
    expect(await stats('groupBy=topic&limit=1')).toMatchObject({ data: [{ count: 2 }], total: 4 });
    expect(await stats('groupBy=week&topic=sea&before=2999-01-01')).toMatchObject({
      data: [{ bucket: expect.stringMatching(/^\d{4}-W\d{2}$/), count: 2 }],
      total: 2,
      filters: { topic: 'sea', before: '2999-01-01T23:59:59.999Z' },
    });
    expect(await stats('after=2999-01-01')).toMatchObject({ data: [], total: 0 });
    expect(await stats('after=2999-01-01&recent=1mo')).toMatchObject({ total: 4 });
    for (const wrong of [
      'groupBy=year',
      'limit=0',
      'after=x',
      'recent=x',
      'after=2024-02-01&before=2024-01-01',
    ])
      expect([wrong, (await http.get(`/api/memories/stats?${wrong}`)).status]).toEqual([wrong, 422]);
  });
});
