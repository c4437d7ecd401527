import { beforeEach, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

type Data = Record<string, unknown> & { id: string; object: string };
type One = { data: Data };
type Many = { data: Data[]; count: number; metadata: object };

describe.each(engines)('facts by words and meaning on %s', (engine) => {
  const app = useApp(engine);
  const plain = useApp(engine, { MEMORYD_EMBEDDER: 'none' });
  let http: Client;

  beforeEach(async () => {
    http = await app.newClient();
  });

  const state = async (object: string, extra: object = {}): Promise<Data> => {
    const made = await http.post<One>('/api/facts', { subject: 'Ada', predicate: 'likes', object, ...extra });
    expect([made.status, made.text]).toEqual([201, made.text]);
    return made.body.data;
  };
  const search = (query: string, limit?: number) => http.post<Many>('/api/facts/search', { query, limit });
  const found = async (query: string) => (await search(query)).body.data.map(({ object }) => object);

  it('facts are found without a word in common, after those that have one', async () => {
    await state('a dog', { subject: 'Ana', predicate: 'owns' });
    await state('nurse', { subject: 'Grace', predicate: 'works as' });
    await state('Berlin', { subject: 'Grace', predicate: 'resides in' });
    expect(await found('which pets do we have')).toEqual(['a dog']);
    expect((await found('what is her job'))[0]).toBe('nurse');
    expect((await found('Ana hospital'))[0]).toBe('a dog');
    expect((await search('which pets do we have')).body).toMatchObject({
      count: 1,
      metadata: { query: 'which pets do we have', searchMethod: 'hybrid' },
    });
  });

  it('facts are found by what they say now, while they and their sources exist', async () => {
    const memory = await http.post<One>('/api/memories', { content: 'x', conversationId: 'NEW' });
    const dog = await state('a dog', { subject: 'Ana', predicate: 'owns' });
    const cat = await state('a cat', { subject: 'Bo', predicate: 'owns', memoryId: memory.body.data.id });
    const pets = async () => (await found('pets')).toSorted();
    expect(await pets()).toEqual(['a cat', 'a dog']);
    await http.delete(`/api/memories/${memory.body.data.id}`);
    expect(await pets()).toEqual(['a dog']);
    expect((await search('pets')).body.count).toBe(1);
    const trash = await http.get<{ data: { id: string }[] }>('/api/trash');
    await http.post(`/api/trash/${trash.body.data[0].id}/restore`);
    expect(await pets()).toEqual(['a cat', 'a dog']);
    await http.put(`/api/facts/${dog.id}`, { object: 'a bicycle' });
    expect(await pets()).toEqual(['a cat']);
    expect(await found('cycling')).toEqual(['a bicycle']);
    await http.delete(`/api/facts/${cat.id}`);
    expect(await pets()).toEqual([]);
    const other = await app.newClient();
    expect((await other.post<Many>('/api/facts/search', { query: 'cycling' })).body.data).toEqual([]);
  });

  it('facts are searched without an error by queries that say nothing', async () => {
    await state('tea');
    for (const query of ['the of', '?!', '😀', 'x'.repeat(2000)]) {
      const reply = await search(query);
      expect([reply.status, reply.body.data]).toEqual([200, []]);
    }
  });

  it('facts are found by the words of subject, predicate and object as they are now, where semantic search is off', async () => {
    http = await plain.newClient();
    await state('green tea');
    await state('tea');
    const moved = await state('coffee', { subject: 'Grace', predicate: 'works_at' });
    await http.post('/api/memories', { content: 'zebra tea' });
    expect(await found('tea')).toEqual(['tea', 'green tea']);
    expect(await found('the GREEN teas')).toEqual(['green tea', 'tea']);
    expect(await found('who works somewhere')).toEqual(['coffee']);
    expect(await found('zebra')).toEqual([]);
    expect(await found('the of')).toEqual([]);
    await http.put(`/api/facts/${moved.id}`, { object: 'Zürich' });
    expect([await found('coffee'), await found('zurich')]).toEqual([[], ['Zürich']]);
    const first = await search('ada', 1);
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ count: 2, metadata: { query: 'ada', searchMethod: 'keyword' } });
    expect(first.body.data.map(({ object }) => object)).toEqual(['tea']);
  });
});
