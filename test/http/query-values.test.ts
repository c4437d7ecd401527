import { beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

type Data = { content: string };
type Many = { data: Data[]; pagination?: { limit: number; count: number } };

describe.each(engines)('parameters of a URL on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;
  beforeAll(async () => {
    http = await app.newClient();
    for (const [content, topics] of [
      ['one', ['Lisbon, Portugal']],
      ['two', ['Lisbon']],
      ['three', ['Portugal']],
      ['four', ['Lima, Peru']],
      ['five', []],
    ])
      await http.post('/api/memories', { content, topics, conversationId: 'NEW' });
  });

  const listed = async (path: string) => {
    const { body } = await http.get<Many>(path);
    return body.data.map(({ content }) => content).toSorted();
  };

  it.each([
    '/api/memories?',
    '/api/memories/search?sortBy=createdAt&q=one+two+three+four+five&context=false&',
  ])('a parameter without a value counts as absent: %s', async (path) => {
    const all = await listed(path);
    expect(all).toHaveLength(5);
    for (const name of [
      'topics',
      'excludeTopics',
      'scope',
      'conversationId',
      'taskId',
      'order',
      'limit',
      'offset',
    ])
      expect([name, await listed(`${path}${name}=`)]).toEqual([name, all]);
    for (const name of [
      'memoryType',
      'outcomeFilter',
      'from',
      'to',
      'recent',
      'idPrefix',
      'asOfTime',
      'explain',
    ])
      expect([name, (await http.get(`${path}${name}=`)).status]).toEqual([name, 200]);
  });

  it('a limit above the most that an endpoint gives is cut to it, in a query and in a body', async () => {
    for (const [path, body] of [
      ['/api/memories/export', {}],
      ['/api/facts/search', { query: 'one' }],
      ['/api/topics/search', { query: 'Lisbon' }],
      ['/api/topics/discover-related', { topicId: 'Lisbon' }],
      ['/api/topics/similar', { topicId: 'Lisbon' }],
      ['/api/conversations/search', { query: 'one' }],
      ['/api/conversations/by-topic', { topicId: 'Lisbon' }],
      ['/api/graphrag/query-communities', { query: 'one' }],
      ['/api/memories/search', { query: 'one' }],
    ] as const) {
      for (const limit of [1001, 100_000, Number.MAX_SAFE_INTEGER])
        expect([path, limit, (await http.post(path, { ...body, limit })).status]).toEqual([path, limit, 200]);
      expect([path, (await http.post(path, { ...body, limit: 0 })).status]).toEqual([path, 422]);
    }
    const asked = await http.post('/api/graphrag/query', { query: 'one', limit: 1000 });
    expect(asked).toMatchObject({ status: 200, body: { data: { metadata: { limit: 100 } } } });
    const listing = await http.get('/api/memories?limit=1001');
    expect(listing).toMatchObject({ status: 200, body: { pagination: { limit: 1000 } } });
  });

  it('a parameter that an endpoint does not know is named in meta.ignored, with the name that was meant', async () => {
    const { body: listing } = await http.get<Many>('/api/memories?limit=1');
    expect(listing).not.toHaveProperty('meta');
    const [{ id }] = listing.data as unknown as { id: string }[];
    const metaOf = async (path: string) => (await http.get<{ meta?: object }>(path)).body.meta;
    const limt = { ignored: ['limt'], didYouMean: [{ sent: 'limt', known: 'limit' }] };
    for (const path of [
      '/api/memories',
      '/api/conversations',
      '/api/facts',
      '/api/topics',
      '/api/entities',
      '/api/patterns',
      '/api/narratives',
      '/api/artifacts',
      '/api/trash',
      `/api/memories/${id}/related`,
      '/api/memories/stats',
    ])
      expect([path, await metaOf(`${path}?limt=3`)]).toEqual([path, limt]);
    expect(await metaOf('/api/memories/search?q=one&limt=3')).toMatchObject(limt);
    for (const path of [`/api/memories/${id}`, '/api/users/me', '/api/system/health', '/api/apikeys']) {
      expect([path, await metaOf(`${path}?whatever=1&constructor=2`)]).toEqual([
        path,
        { ignored: ['whatever', 'constructor'] },
      ]);
      expect([path, await metaOf(path)]).toEqual([path, undefined]);
    }
    const posted = await http.post<{ meta: object }>('/api/memories/search?explian=true', {
      query: 'one',
      detial: 'full',
      filters: 1,
    });
    expect(posted.body.meta).toMatchObject({
      ignored: ['explian', 'detial', 'filters'],
      didYouMean: [{ sent: 'detial', known: 'detail' }],
    });
  });

  it('a parameter that an endpoint does not know is named in a header where the response has no member for it', async () => {
    const { body } = await http.post<{ data: { id: string } }>('/api/memories', { content: 'to be deleted' });
    const { id } = body.data;
    const named = async (reply: Promise<{ status: number; headers: Headers }>) => {
      const { status, headers } = await reply;
      return [status, headers.get('ignored-fields')];
    };
    expect(await named(http.post('/api/memories/export?zwölf=1', { limti: 3 }))).toEqual([
      200,
      'zw%C3%B6lf, limti;meant=limit',
    ]);
    expect(await named(http.get('/api/users/me/export?formt=csv'))).toEqual([200, 'formt']);
    expect(await named(http.delete(`/api/memories/${id}?force=true`))).toEqual([204, 'force']);
    expect(await named(http.get('/api/memories?limt=3'))).toEqual([200, null]);
    for (const path of ['/api/memories/histogram', `/api/memories/${id}/versions`])
      expect(await named(http.get(path))).toEqual([path.endsWith('versions') ? 404 : 200, null]);
    const bars = await http.get<{ meta: object }>('/api/memories/histogram?timeZon=UTC');
    expect(bars.body.meta).toEqual({
      ignored: ['timeZon'],
      didYouMean: [{ sent: 'timeZon', known: 'timeZone' }],
    });
  });

  it('a type or a conversation without a value narrows no list of artifacts', async () => {
    await http.post('/api/artifacts', { content: 'a', type: 'code' });
    expect(await listed('/api/artifacts?type=&conversationId=&memoryId=')).toEqual(['a']);
    expect((await http.get('/api/memories/search?q=')).status).toBe(422);
  });

  it.each(['0x10', 'Infinity', '1e3', '1.0', '+5', ' 5', 'NaN', '0b1', '5 '])(
    'a number is plain digits, not %j',
    async (value) => {
      const query = `limit=${encodeURIComponent(value)}`;
      const reply = await http.get(`/api/memories?${query}`);
      expect([reply.status, reply.body.error]).toEqual([422, 'limit must be a whole number']);
      const search = await http.get(`/api/memories/search?q=x&threshold=${encodeURIComponent(value)}`);
      expect([value, search.status]).toEqual([value, value === '1.0' ? 200 : 422]);
    },
  );

  it('a number over the largest page is the largest page', async () => {
    const reply = await http.get<Many>('/api/memories?limit=99999999999999999999999');
    expect([reply.status, reply.body.pagination?.limit]).toEqual([200, 1000]);
  });

  it.each([
    '/api/memories?',
    '/api/memories/search?q=one+two+three+four+five&context=false&searchMethod=keyword&',
  ])('a topic with a comma is found by its whole name, and in a list with a backslash: %s', async (path) => {
    const ask = (name: string, value: string) => listed(`${path}${name}=${encodeURIComponent(value)}`);
    expect(await ask('topics', 'Lisbon, Portugal')).toEqual(['one']);
    expect(await ask('topics', 'lisbon, portugal')).toEqual(['one']);
    expect(await ask('topics', 'Lisbon,Portugal')).toEqual(['three', 'two']);
    expect(await ask('topics', 'Portugal, Lisbon')).toEqual(['three', 'two']);
    expect(await ask('topics', 'Lisbon\\, Portugal,Lima\\, Peru')).toEqual(['four', 'one']);
    expect(await ask('excludeTopics', 'Lisbon, Portugal')).toEqual(['five', 'four', 'three', 'two']);
    expect(await ask('excludeTopics', 'Lisbon\\, Portugal, Lisbon')).toEqual(['five', 'four', 'three']);
  });

  it('a period bounds a list by its start and by its end', async () => {
    const writer = await app.newClient();
    for (const eventTime of ['20250203T100000Z', '2025-03-09T23:59:59Z', '2025-03-10'])
      await writer.post('/api/memories', { content: `at ${eventTime}`, eventTime, conversationId: 'NEW' });
    const found = async (query: string) =>
      (await writer.get<Many>(`/api/memories/search?sortBy=eventTime&order=asc&${query}`)).body.data.length;
    expect(await found('eventTimeTo=2025-02')).toBe(1);
    expect(await found('eventTimeFrom=2025-03')).toBe(2);
    expect(await found('eventTimeFrom=2025-W10&eventTimeTo=2025-W10')).toBe(1);
    expect(await found('eventTimeFrom=2025&eventTimeTo=2025')).toBe(3);
    expect((await writer.get('/api/memories/search?eventTimeFrom=2025-W60')).status).toBe(422);
  });

  it('a name whose newest version another memory supersedes answers 404, and keeps history and versions', async () => {
    const one = await app.newClient();
    type Made = { data: { id: string } };
    const head = await one.post<Made>('/api/memories', { content: 'x', name: 'plan', conversationId: 'NEW' });
    const other = await one.post<Made>('/api/memories', { content: 'y', conversationId: 'NEW' });
    const path = `/api/memories/${other.body.data.id}/relationships`;
    const targetMemoryId = head.body.data.id;
    const edge = await one.post<Made>(path, { targetMemoryId, type: 'SUPERSEDES' });
    const named = () => one.get('/api/memories/named/plan');
    const refused = await named();
    expect(refused).toMatchObject({
      status: 404,
      body: { code: 'MEMORY_NOT_FOUND', details: { headId: targetMemoryId } },
    });
    expect((await one.get('/api/memories/named/plan/history')).status).toBe(200);
    await one.delete(`${path}/${edge.body.data.id}`);
    expect((await named()).status).toBe(200);
    await one.post(path, { targetMemoryId, type: 'SUPERSEDES' });
    expect((await one.put('/api/memories/named/plan', { content: 'z' })).status).toBe(201);
    expect((await named()).body).toMatchObject({ data: { content: 'z' } });
  });

  it("the status of one user does not move with another's writes", async () => {
    const [one, other] = [await app.newClient(), await app.newClient()];
    const status = async () => {
      const { data } = (await one.get<{ data: object }>('/api/system/context/status')).body;
      return { ...data, generatedAt: undefined };
    };
    const before = await status();
    for (let i = 0; i < 30; i += 1)
      await other.post('/api/memories', { content: `${i} ${'words '.repeat(2000)}`, topics: [`t${i}`] });
    await other.get('/api/memories/search?q=words');
    expect(await status()).toEqual(before);
  });
});
