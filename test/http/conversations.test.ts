import { describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { useApp, useClient } from '../support/use-app.ts';

type Data = Record<string, unknown> & { id: string };
type One = { data: Data };
type Many = { data: Data[]; count: number; pagination: Record<string, number> };

describe.each(engines)('conversations and topics on %s', (engine) => {
  const app = useApp(engine);
  const http = useClient(app);

  const start = async (title: string, contents: readonly string[] = []): Promise<Data> => {
    const made = await http.post<One>('/api/conversations', { title });
    for (const content of contents)
      await http.post('/api/memories', { content, conversationId: made.body.data.id });
    return made.body.data;
  };
  const titles = async (query: string) =>
    (await http.get<Many>(`/api/conversations?${query}`)).body.data.map(({ title }) => title);

  it('conversations are made empty and grow with their memories', async () => {
    const made = await http.post<One>('/api/conversations', { title: 'Sailing', summary: 'Boats' });
    expect(made.status).toBe(201);
    const { id, createdAt } = made.body.data;
    expect(made.body.data).toEqual({
      id: expect.stringMatching(/^conv_[0-9a-f-]{36}$/),
      title: 'Sailing',
      summary: 'Boats',
      memoryCount: 0,
      messageCount: 0,
      lastActivityAt: createdAt,
      createdAt,
      updatedAt: createdAt,
    });
    const first = await http.post<{ data: Data; meta: Data }>('/api/memories', {
      content: 'x',
      conversationId: id,
    });
    expect(first.body.meta).toMatchObject({ conversationCreated: false, sessionCreated: true });
    const read = await http.get<One>(`/api/conversations/${id}`);
    expect(read.body.data).toMatchObject({ memoryCount: 1, lastActivityAt: first.body.data.createdAt });
    await http.delete(`/api/memories/${first.body.data.id}`);
    expect((await http.get<One>(`/api/conversations/${id}`)).body.data.memoryCount).toBe(0);
  });

  it('a conversation of imported memories has the times of its memories, and a memory written now does not join it', async () => {
    const write = async (body: object) =>
      (await http.post<One>('/api/memories', { content: 'x', ...body })).body.data.conversationId as string;
    const timesOf = async (id: string) => {
      const { createdAt, lastActivityAt } = (await http.get<One>(`/api/conversations/${id}`)).body.data;
      return [createdAt, lastActivityAt];
    };
    const [early, late] = ['2023-05-01T10:00:00.000Z', '2023-05-01T11:00:00.000Z'];
    const now = await write({});
    const implicit = await write({ createdAt: early });
    expect(implicit).not.toBe(now);
    expect(await write({ createdAt: late })).toBe(implicit);
    expect(await timesOf(implicit)).toEqual([early, late]);
    expect(await write({})).toBe(now);
    const { id } = await start('empty');
    for (const createdAt of [late, early]) await write({ createdAt, conversationId: id });
    expect(await timesOf(id)).toEqual([early, late]);
  });

  it('conversations are listed by activity, age or size, in pages', async () => {
    const first = await start('first', ['a']);
    await start('second', ['a', 'b']);
    await start('third');
    await http.post('/api/memories', { content: 'late', conversationId: first.id, eventTime: '2000-01-01' });
    await http.post('/api/memories', { content: 'later', conversationId: first.id });
    expect(await titles('')).toHaveLength(3);
    expect(await titles('sortBy=createdAt&order=asc')).toEqual(['first', 'second', 'third']);
    expect(await titles('sortBy=memoryCount')).toEqual(['first', 'second', 'third']);
    expect(await titles('minMemories=2&sortBy=memoryCount&order=asc')).toEqual(['second', 'first']);
    expect(await titles('since=2999-01-01')).toEqual([]);
    expect(await titles('since=2000-01-01&limit=1&offset=1&sortBy=createdAt&order=asc')).toEqual(['second']);
    const page = await http.get<Many>('/api/conversations?limit=2');
    expect(page.body.pagination).toMatchObject({ limit: 2, offset: 0, count: 3 });
    for (const wrong of ['limit=0', 'offset=-1', 'since=x', 'sortBy=title', 'order=up', 'minMemories=-1'])
      expect([wrong, (await http.get(`/api/conversations?${wrong}`)).status]).toEqual([wrong, 422]);
  });

  it('conversations list their memories in order', async () => {
    const { id } = await start('talk', ['one', 'two']);
    await http.post('/api/memories', { content: 'zero', conversationId: id, eventTime: '2001-01-01' });
    const timeline = await http.get<Many>(`/api/conversations/${id}/timeline`);
    expect(timeline.body.data.map(({ content }) => content)).toEqual(['zero', 'one', 'two']);
    expect(timeline.body.count).toBe(3);
    const part = await http.get<Many>(`/api/conversations/${id}/timeline?limit=1&offset=1`);
    expect(part.body.data.map(({ content }) => content)).toEqual(['one']);
    expect(part.body.count).toBe(3);
  });

  it('conversations are found by their titles and by their memories', async () => {
    const { id } = await start('Quixotic plans', ['We talked about windmills.']);
    await start('Groceries', ['Milk and bread.']);
    for (const query of ['quixotic', 'windmill']) {
      const found = await http.post<Many>('/api/conversations/search', { query, limit: 5 });
      expect(found.body.data.map((item) => item.id)).toEqual([id]);
      expect(found.body.count).toBe(1);
    }
    for (const title of ['ships one', 'ships two', 'ships three']) await start(title, ['x']);
    for (const limit of [1, 2, 20]) {
      const found = await http.post<Many>('/api/conversations/search', { query: 'ships', limit });
      expect([found.body.data.length, found.body.count]).toEqual([Math.min(limit, 3), 3]);
    }
    for (const wrong of [{}, { query: '' }, { query: ' ' }, { query: 'x', limit: 0 }])
      expect((await http.post('/api/conversations/search', wrong)).status).toBe(422);
  });

  it('conversations take their memories along when they are deleted', async () => {
    const { id } = await start('talk', ['unmistakable']);
    expect((await http.delete(`/api/conversations/${id}`)).status).toBe(204);
    expect((await http.get(`/api/conversations/${id}`)).status).toBe(404);
    expect((await http.get(`/api/conversations/${id}/timeline`)).status).toBe(404);
    expect((await http.get<Many>('/api/memories')).body.pagination.count).toBe(0);
    const found = await http.get<{ meta: { total: number } }>('/api/memories/search?q=unmistakable');
    expect(found.body.meta.total).toBe(0);
    const search = await http.post<Many>('/api/conversations/search', { query: 'talk' });
    expect(search.body.data).toEqual([]);
  });

  it('conversations refuse bad titles', async () => {
    for (const wrong of [
      {},
      { title: '' },
      { title: 'x'.repeat(501) },
      { title: 5 },
      { title: 'x', summary: 5 },
    ])
      expect((await http.post('/api/conversations', wrong)).status).toBe(422);
    expect((await http.post('/api/conversations', { title: 'x'.repeat(500) })).status).toBe(201);
  });

  it('topics are counted, listed and read by id or name', async () => {
    await http.post('/api/memories', { content: 'one', topics: ['Sea', 'sky'] });
    const made = await http.post<One>('/api/memories', { content: 'two', topics: ['sea'] });
    const listed = await http.get<Many>('/api/topics');
    expect(listed.body.data.map(({ name, count, memoryCount }) => [name, count, memoryCount])).toEqual([
      ['Sea', 2, 2],
      ['sky', 1, 1],
    ]);
    expect(listed.body.pagination).toEqual({ limit: 20, offset: 0, count: 2 });
    for (const key of [listed.body.data[0].id, 'SEA']) {
      const read = await http.get<One>(`/api/topics/${key}`);
      expect(read.body.data).toEqual(listed.body.data[0]);
    }
    const smallest = await http.get<Many>('/api/topics?sortBy=memoryCount&order=asc&limit=1');
    expect(smallest.body.data[0].name).toBe('sky');
    await http.delete(`/api/memories/${made.body.data.id}`);
    expect((await http.get<One>('/api/topics/sea')).body.data.count).toBe(1);
    for (const wrong of ['limit=0', 'offset=x', 'sortBy=age', 'order=up'])
      expect([wrong, (await http.get(`/api/topics?${wrong}`)).status]).toEqual([wrong, 422]);
  });
});
