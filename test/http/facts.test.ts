import { describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { useApp, useClient } from '../support/use-app.ts';

type Data = Record<string, unknown> & { id: string; object: string; updatedAt: string };
type One = { data: Data };
type Many = { data: Data[]; count: number; metadata?: unknown };
type Failure = { error: string; code: string };

const unknownId = '00000000-0000-4000-8000-000000000000';

describe.each(engines)('facts on %s', (engine) => {
  const app = useApp(engine);
  const http = useClient(app);

  const remember = async (content: string) =>
    (await http.post<One>('/api/memories', { content, conversationId: 'NEW' })).body.data.id;
  const state = async (object: string, extra: object = {}) => {
    const made = await http.post<One>('/api/facts', { subject: 'Ada', predicate: 'likes', object, ...extra });
    expect([made.status, made.text]).toEqual([201, made.text]);
    return made.body.data;
  };
  const objects = async (query = '') =>
    (await http.get<Many>(`/api/facts?${query}`)).body.data.map(({ object }) => object);
  const search = (query: string, limit?: number) => http.post<Many>('/api/facts/search', { query, limit });
  const found = async (query: string) => (await search(query)).body.data.map(({ object }) => object);

  it('facts are stated by hand and read back with every field', async () => {
    const fact = await state('tea');
    const { createdAt } = fact;
    expect(fact).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      userId: expect.any(String),
      subject: 'Ada',
      predicate: 'likes',
      object: 'tea',
      name: 'Ada',
      type: 'likes',
      confidence: 1,
      sourceMemoryIds: [],
      mentionCount: 0,
      effectiveState: 'current',
      createdAt,
      updatedAt: createdAt,
    });
    expect((await http.get<One>(`/api/facts/${fact.id}`)).body).toEqual({ data: fact });
    expect((await http.get<Many>('/api/facts')).body).toEqual({ data: [fact], count: 1 });
    const who = await http.get<{ data: { userId: string } }>('/api/apikeys/debug-user');
    expect(fact.userId).toBe(who.body.data.userId);
  });

  it('facts are listed by age or confidence, by memory, in pages', async () => {
    const memoryId = await remember('Ada likes tea and coffee');
    await state('tea', { confidence: 0.5, memoryId });
    await state('coffee', { confidence: 0.25, sourceMemoryId: memoryId });
    await state('milk', { confidence: 0.5 });
    expect(await objects()).toEqual(['milk', 'coffee', 'tea']);
    expect(await objects('sortBy=createdAt&order=asc')).toEqual(['tea', 'coffee', 'milk']);
    expect(await objects('sortBy=confidence')).toEqual(['milk', 'tea', 'coffee']);
    expect(await objects('sortBy=confidence&order=asc')).toEqual(['coffee', 'tea', 'milk']);
    expect(await objects('limit=1&offset=1')).toEqual(['coffee']);
    expect(await objects(`memoryId=${memoryId}`)).toEqual(['coffee', 'tea']);
    expect(await objects(`memoryId=${unknownId}`)).toEqual([]);
    expect((await http.get<Many>('/api/facts?limit=1')).body.count).toBe(3);
    expect((await http.get<Many>(`/api/facts?limit=1&memoryId=${memoryId}`)).body.count).toBe(2);
  });

  it('facts are listed by subject, by a part of their words and from a confidence on', async () => {
    const memoryId = await remember('Ada likes tea');
    await state('green tea', { confidence: 0.5, memoryId });
    await state('Café', { confidence: 0.9 });
    await state('tea', { subject: 'Ådne', confidence: 0.7 });
    expect(await objects('subject=ada')).toEqual(['Café', 'green tea']);
    expect(await objects('subject=%C3%85DNE')).toEqual(['tea']);
    expect(await objects('subject=ad')).toEqual([]);
    expect(await objects('q=likes%20CAFE')).toEqual(['Café']);
    expect(await objects('q=%25')).toEqual([]);
    expect(await objects('q=tea')).toEqual(['tea', 'green tea']);
    expect(await objects('q=tea&order=asc')).toEqual(['green tea', 'tea']);
    expect(await objects('q=%20')).toEqual(['tea', 'Café', 'green tea']);
    expect(await objects('minConfidence=0.7&sortBy=confidence')).toEqual(['Café', 'tea']);
    expect(await objects(`q=tea&memoryId=${memoryId}`)).toEqual(['green tea']);
    expect((await http.get<Many>('/api/facts?q=tea&limit=1')).body.count).toBe(2);
    expect((await http.get('/api/facts?minConfidence=2')).status).toBe(422);
    expect((await (await app.newClient()).get<Many>('/api/facts?q=tea')).body).toEqual({
      data: [],
      count: 0,
    });
    await http.delete(`/api/memories/${memoryId}`);
    expect(await objects('q=tea')).toEqual(['tea']);
  });

  it('what a fact said before each edit is listed, the last edit first', async () => {
    const { id } = await state('tea');
    const versions = async (client = http, of = id) => client.get<Many>(`/api/facts/${of}/versions`);
    expect((await versions()).body).toMatchObject({ data: [], pagination: { count: 0 } });
    const edit = async (object: string) => {
      // Of two edits within one millisecond only the last is kept.
      await new Promise((resolve) => setTimeout(resolve, 2));
      await http.put(`/api/facts/${id}`, { object });
    };
    await edit('coffee');
    await edit('milk');
    const { data } = (await versions()).body;
    expect(data.map(({ object }) => object)).toEqual(['coffee', 'tea']);
    expect(data[0].openedAt).toBe(data[1].closedAt);
    const page = await http.get<{ data: Data[]; pagination: { nextCursor: string } }>(
      `/api/facts/${id}/versions?limit=1`,
    );
    const next = await http.get<Many>(
      `/api/facts/${id}/versions?limit=1&cursor=${page.body.pagination.nextCursor}`,
    );
    expect(next.body.data.map(({ object }) => object)).toEqual(['tea']);
    const other = await app.newClient();
    const body = (text: string) => text.replace(/"requestId":"[^"]*"/, '');
    const [foreign, unknown] = [await versions(other), await versions(other, unknownId)];
    expect(foreign.status).toBe(404);
    expect(body(foreign.text)).toBe(body(unknown.text));
  });

  it('facts keep their source and are seen while it is not in the trash', async () => {
    const memoryId = await remember('Ada likes tea');
    const otherId = await remember('Ada drinks tea');
    const fact = await state('tea', { memoryId });
    expect(fact).toMatchObject({ sourceMemoryId: memoryId, mentionCount: 1, extractedAt: fact.createdAt });
    const twice = await state('coffee', { memoryId: otherId, sourceMemoryId: memoryId });
    expect(twice.sourceMemoryIds).toEqual([memoryId, otherId]);
    await state('milk');
    await http.delete(`/api/memories/${memoryId}`);
    expect(await objects()).toEqual(['milk', 'coffee']);
    expect((await http.get<Many>('/api/facts')).body.count).toBe(2);
    expect(await found('ada')).toEqual(['milk', 'coffee']);
    expect(await objects(`memoryId=${memoryId}`)).toEqual([]);
    for (const reply of [
      await http.get<Failure>(`/api/facts/${fact.id}`),
      await http.put<Failure>(`/api/facts/${fact.id}`, { object: 'x' }),
      await http.delete<Failure>(`/api/facts/${fact.id}`),
    ])
      expect([reply.status, reply.body.code]).toEqual([404, 'FACT_NOT_FOUND']);
    const left = await http.get<One>(`/api/facts/${twice.id}`);
    expect(left.body.data).toMatchObject({ sourceMemoryId: otherId, sourceMemoryIds: [otherId] });
    const renewed = await http.put<One>(`/api/facts/${twice.id}`, { confidence: 0.1 });
    expect(renewed.body.data).toMatchObject({ confidence: 0.1, sourceMemoryIds: [otherId] });
  });

  it('facts are changed where the body says so', async () => {
    const fact = await state('tea', { confidence: 0.5 });
    const changed = await http.put<One>(`/api/facts/${fact.id}`, { predicate: 'dislikes', confidence: 0 });
    expect(changed.status).toBe(200);
    expect(changed.body.data).toEqual({
      ...fact,
      predicate: 'dislikes',
      type: 'dislikes',
      confidence: 0,
      updatedAt: changed.body.data.updatedAt,
    });
    for (const nothing of [{}, { object: 'tea' }, { unknown: 1 }]) {
      const same = await http.put<One>(`/api/facts/${fact.id}`, nothing);
      expect(same.body.data).toEqual(changed.body.data);
    }
    expect((await http.get<One>(`/api/facts/${fact.id}`)).body.data).toEqual(changed.body.data);
  });

  it('facts are shown with the memories that they were drawn from, those of the highest confidence first', async () => {
    const memoryId = await remember('Ada drinks tea');
    const other = await remember('Grace drinks tea');
    await state('tea', { memoryId, confidence: 0.2 });
    const { id } = await state('green tea', { memoryId, confidence: 0.9 });
    const gone = await state('coffee', { memoryId });
    await http.delete(`/api/facts/${gone.id}`);
    const said = [
      { id, subject: 'Ada', predicate: 'likes', object: 'green tea', confidence: 0.9 },
      expect.objectContaining({ object: 'tea' }),
    ];
    type Read = { data: { id: string; facts: unknown[] } };
    const read = (of: string, detail: string) => http.get<Read>(`/api/memories/${of}?detail=${detail}`);
    for (const detail of ['standard', 'full'])
      expect((await read(memoryId, detail)).body.data.facts).toEqual(said);
    expect((await read(other, 'standard')).body.data.facts).toEqual([]);
    expect((await read(memoryId, 'minimal')).body.data).not.toHaveProperty('facts');
    const query = { query: 'drinks tea', includeFacts: true };
    const hits = (await http.post<{ data: Read['data'][] }>('/api/memories/search', query)).body.data;
    expect(new Map(hits.map((hit) => [hit.id, hit.facts]))).toEqual(
      new Map([
        [memoryId, said],
        [other, []],
      ]),
    );
    const plain = await http.get<{ data: Read['data'][] }>('/api/memories/search?q=drinks');
    expect(plain.body.data.map((hit) => hit.facts)).toEqual([undefined, undefined]);
  });

  it('facts are gone once deleted', async () => {
    const fact = await state('tea');
    const gone = await http.delete(`/api/facts/${fact.id}`);
    expect([gone.status, gone.text]).toEqual([204, '']);
    expect((await http.delete(`/api/facts/${fact.id}`)).status).toBe(404);
    expect((await http.get<Many>('/api/facts')).body).toEqual({ data: [], count: 0 });
    expect((await search('tea')).body).toEqual({
      data: [],
      count: 0,
      metadata: { query: 'tea', searchMethod: 'hybrid', relevanceFloor: 0.08 },
    });
  });

  it('facts belong to one user alone', async () => {
    const fact = await state('tea');
    const memoryId = await remember('Ada likes tea');
    const other = await app.newClient();
    for (const id of [fact.id, unknownId, 'x']) {
      const replies = [
        await other.get<Failure>(`/api/facts/${id}`),
        await other.put<Failure>(`/api/facts/${id}`, { object: 'x' }),
        await other.delete<Failure>(`/api/facts/${id}`),
      ];
      for (const { status, body } of replies)
        expect([status, body.code, body.error]).toEqual([404, 'FACT_NOT_FOUND', 'No such fact.']);
    }
    expect((await other.get<Many>('/api/facts')).body.count).toBe(0);
    expect((await other.post<Many>('/api/facts/search', { query: 'tea' })).body.count).toBe(0);
    for (const source of [memoryId, unknownId, 'x']) {
      for (const field of ['memoryId', 'sourceMemoryId']) {
        const body = { subject: 'a', predicate: 'b', object: 'c', [field]: source };
        const refused = await other.post<Failure>('/api/facts', body);
        expect([refused.status, refused.body.code]).toEqual([404, 'MEMORY_NOT_FOUND']);
      }
    }
    expect((await other.get<Many>('/api/facts')).body.count).toBe(0);
  });

  it('facts refuse bad input', async () => {
    const good = { subject: 's', predicate: 'p', object: 'o' };
    const { id } = await state('tea');
    const wrong = [
      { subject: '' },
      { subject: ' \n' },
      { predicate: '\t' },
      { subject: 5 },
      { subject: 'x'.repeat(501) },
      { predicate: 'x'.repeat(201) },
      { object: 'x'.repeat(501) },
      { object: null },
      { object: 'a\0b' },
      { confidence: -0.1 },
      { confidence: 1.1 },
      { confidence: '1' },
    ];
    for (const fields of wrong) {
      const label = JSON.stringify(fields);
      const made = await http.post<Failure>('/api/facts', { ...good, ...fields });
      const changed = await http.put<Failure>(`/api/facts/${id}`, fields);
      expect([label, made.status, changed.status]).toEqual([label, 422, 422]);
      expect(made.body.error).toContain(Object.keys(fields)[0]);
    }
    for (const missing of ['subject', 'predicate', 'object']) {
      const refused = await http.post<Failure>('/api/facts', { ...good, [missing]: undefined });
      expect([refused.status, refused.body.error]).toEqual([422, `${missing} is required`]);
    }
    for (const memoryId of ['', 5, null])
      expect((await http.post('/api/facts', { ...good, memoryId })).status).toBe(422);
    for (const query of [{}, { query: '' }, { query: ' ' }, { query: 5 }, { query: 'x', limit: 0 }])
      expect((await http.post('/api/facts/search', query)).status).toBe(422);
    for (const query of ['limit=0', 'offset=-1', 'limit=x', 'sortBy=subject', 'order=up'])
      expect([query, (await http.get(`/api/facts?${query}`)).status]).toEqual([query, 422]);
    const longest = { subject: 'x'.repeat(500), predicate: 'y'.repeat(200), object: 'z'.repeat(500) };
    expect((await http.post('/api/facts', longest)).status).toBe(201);
    expect((await http.get<Many>('/api/facts?limit=5000')).body.count).toBe(2);
  });

  it('facts are searched with a key that may only read', async () => {
    await state('tea');
    const made = await http.post<{ data: { apiKey: string } }>('/api/apikeys', { scopes: ['read'] });
    const headers = { authorization: `Bearer ${made.body.data.apiKey}` };
    const reply = await http.post<Many>('/api/facts/search', { query: 'tea' }, headers);
    expect([reply.status, reply.body.count]).toEqual([200, 1]);
    const refused = await http.post('/api/facts', { subject: 'a', predicate: 'b', object: 'c' }, headers);
    expect(refused.status).toBe(403);
  });
});
