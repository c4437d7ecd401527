import { beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

type Hit = Record<string, unknown> & { id: string; content: string };
type ApiResponse = {
  data: Hit[];
  meta: Record<string, unknown>;
  facets?: Record<string, unknown>;
  error?: string;
};

describe.each(engines)('searching memories on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;

  beforeAll(async () => {
    http = await app.newClient();
    const bodies = [
      {
        content: 'The heron stands in the reeds.',
        topics: ['birds'],
        eventTime: '2024-05-01',
        name: 'heron',
      },
      {
        content: 'A heron and an otter share the river.',
        topics: ['birds', 'otters'],
        memoryType: 'semantic',
      },
      { content: 'Bread needs a warm oven.', codeContext: { product: 'bakery' }, outcome: 'resolved' },
    ];
    for (const body of bodies) {
      const reply = await http.post('/api/memories', { ...body, conversationId: 'NEW' });
      expect(reply.status).toBe(201);
    }
  });

  const get = (query: string) => http.get<ApiResponse>(`/api/memories/search?${query}`);
  const post = (body: unknown) => http.post<ApiResponse>('/api/memories/search', body);
  const contents = (response: ApiResponse) =>
    response.data.map(({ content }) => content.split(' ').at(-1)).toSorted();

  it('a search returns the same by GET and by POST', async () => {
    const byGet = (await get('q=heron&topics=birds&includeTopics=true&explain=true&limit=5')).body;
    const body = { query: 'heron', topics: ['birds'], includeTopics: true, explain: true, limit: 5 };
    const byPost = (await post(body)).body;
    expect(byPost.data).toEqual(byGet.data);
    expect(byPost.meta).toEqual({ ...byGet.meta, searchTime: byPost.meta.searchTime });
    expect(byGet.meta).toEqual({
      bestRelevance: expect.any(Number),
      relevanceFloor: 0.08,
      total: 2,
      page: 1,
      pageSize: 5,
      searchTime: expect.any(Number),
      searchMethod: 'hybrid',
    });
  });

  it('a search shows a memory flat, next to how it was found', async () => {
    const [plain] = (await get('q=reeds')).body.data;
    expect(plain).toMatchObject({
      content: 'The heron stands in the reeds.',
      preview: '',
      name: 'heron',
      memoryType: 'episodic',
      effectiveState: 'current',
      eventTime: '2024-05-01T00:00:00.000Z',
      conversationId: expect.stringMatching(/^conv_/),
      timestamp: plain.createdAt,
      score: expect.any(Number),
      fulltextScore: expect.any(Number),
      fulltextRank: 1,
      matchedVia: expect.arrayContaining(['fulltext']),
    });
    const unstated = ['topics', 'entities', 'facts', 'explanation', 'context', 'validFrom'];
    for (const absent of [...unstated, 'updatedAt', 'memoryTypeUserSet'])
      expect(plain).not.toHaveProperty(absent);
    const more = 'includeTopics=true&includeEntities=true&includeFacts=true&explain=true&includeFacets=true';
    const rich = (await get(`q=reeds&${more}`)).body;
    expect(rich.data[0]).toMatchObject({
      topics: ['birds'],
      entities: [],
      facts: [],
      explanation: { matchReason: expect.any(String), matchedTerms: ['reeds'] },
    });
    expect(rich.facets).toEqual({
      topics: [{ value: 'birds', count: 1 }],
      memoryType: [{ value: 'episodic', count: 1 }],
      effectiveState: [{ value: 'current', count: 1 }],
      conversationId: [{ value: rich.data[0].conversationId, label: expect.any(String), count: 1 }],
      entityId: [],
      role: [],
      createdBy: [{ value: expect.any(String), label: 'test', count: 1 }],
    });
  });

  it('a search is done by the method asked for and says so, whatever the switches', async () => {
    for (const searchMethod of ['keyword', 'semantic', 'hybrid']) {
      const query = `q=otter&searchMethod=${searchMethod}&threshold=0.5&vectorWeight=0.7&fulltextWeight=0.3`;
      const { body } = await get(`${query}&expandTopics=true&mode=content&context=false`);
      expect(contents(body)[0]).toEqual('river.');
      expect(body.meta.searchMethod).toBe(searchMethod);
      expect(body.meta).not.toHaveProperty('degraded');
    }
  });

  it.each([
    ['q=heron&excludeTopics=otters', ['reeds.']],
    ['q=heron&memoryType=semantic', ['river.']],
    ['q=heron&eventTimeFrom=2024-05-01&eventTimeTo=2024-05-01', ['reeds.']],
    ['q=heron&ingestionTimeFrom=2999-01-01', []],
    ['q=heron&conversationId=conv_nobody', []],
    ['q=oven&scope=product:bakery', ['oven.']],
    ['q=heron&scope=product:bakery', []],
    ['q=oven&outcomeFilter=resolved', ['oven.']],
    ['q=otters', ['river.']],
    ['topics=birds', ['reeds.', 'river.']],
    ['ingestionTimeFrom=2020-01-01', ['oven.', 'reeds.', 'river.']],
    ['q=&memoryType=semantic', ['river.']],
    [`q=${encodeURIComponent('"heron" AND (NOT * OR ^):;')}&topics=otters`, ['river.']],
    [`q=${encodeURIComponent('?!')}`, []],
  ])('a search finds by %s', async (query, expected) => {
    const reply = await get(query);
    expect(reply.status).toBe(200);
    expect(contents(reply.body)).toEqual(expected);
  });

  it('a search sorts, browses and turns pages', async () => {
    const oldest = (await get('topics=birds&sortBy=createdAt&order=asc')).body;
    expect(oldest.data.map(({ content }) => content.split(' ').at(-1))).toEqual(['reeds.', 'river.']);
    expect(oldest.data[0]).not.toHaveProperty('score');
    const second = (await get('topics=birds&sortBy=createdAt&order=asc&limit=1&offset=1')).body;
    expect(second.data).toEqual(oldest.data.slice(1));
    expect(second.meta).toMatchObject({ total: 2, page: 2, pageSize: 1 });
    expect((await get('q=heron&offset=50')).body).toMatchObject({ data: [], meta: { total: 2 } });
    expect((await get('q=heron&limit=99999')).body.meta.pageSize).toBe(1000);
  });

  it('a search names the times that it went by', async () => {
    const { meta } = (await get('q=heron&eventTimeTo=2024-05-01')).body;
    expect(meta.temporalMetadata).toEqual({
      temporalMode: 'current',
      asOfTime: null,
      validAtTime: null,
      eventTimeRange: { from: null, to: '2024-05-01T23:59:59.999Z' },
      ingestionTimeRange: null,
      includeExpired: false,
      temporalFieldsIncluded: true,
    });
  });

  it.each([
    ['', 'q is required unless a filter is given'],
    ['q=%20', 'q is required unless a filter is given'],
    ['includeSuperseded=true&outcomeFilter=any', 'q is required unless a filter is given'],
    [`q=${'x'.repeat(2001)}`, 'q must have at most 2000 characters'],
    ['q=x&limit=0', /^limit /],
    ['q=x&threshold=1.1', 'threshold must be 1 or less'],
    ['q=x&vectorWeight=-0.1', 'vectorWeight must be 0 or more'],
    ['q=x&searchMethod=magic', /^searchMethod must be one of/],
    ['q=x&mode=magic', /^mode must be one of/],
    ['q=x&sortBy=magic', /^sortBy must be one of/],
    ['q=x&explain=maybe', /^explain must be true or false/],
    ['q=x&asOfTime=x', /^asOfTime must be an ISO 8601/],
    ['q=x&validAtTime=x', /^validAtTime must be an ISO 8601/],
    ['q=x&eventTimeFrom=x', /^eventTimeFrom must be an ISO 8601/],
    ['q=x&eventTimeFrom=2024-02-02&eventTimeTo=2024-02-01', /^eventTimeFrom and eventTimeTo contradict/],
    ['q=x&ingestionTimeFrom=2024-02-02&ingestionTimeTo=2024-02-01', /^ingestionTimeFrom and ingestionTimeTo/],
  ])('a search refuses GET %s', async (query, error) => {
    const reply = await get(query);
    expect(reply.status).toBe(422);
    expect(reply.body.error).toMatch(error);
  });

  it.each([
    [{}, 'query is required'],
    [{ query: '' }, 'query must not be empty'],
    [{ query: ' ', topics: ['birds'] }, 'query must not be blank'],
    [{ query: 'x'.repeat(32_769) }, 'query must have at most 32768 characters'],
    [{ query: 'x', topics: 'birds' }, 'topics must be a list'],
    [{ query: 'x', limit: '5' }, 'limit must be a whole number'],
    [{ query: 'x', factWeight: 2 }, 'factWeight must be 1 or less'],
  ])('a search refuses POST %j', async (body, error) => {
    const reply = await post(body);
    expect([reply.status, reply.body.error]).toEqual([422, error]);
  });

  it('a search takes long queries by POST and ignores what it does not know', async () => {
    const query = `heron ${'w '.repeat(16_000)}`;
    const reply = await post({ query, entityTypes: ['PERSON'], includeClaims: true });
    expect(reply.status).toBe(200);
    expect(reply.body.meta.total).toBe(2);
    const unknown = await get('q=heron&scope=colour:red');
    expect([unknown.status, (unknown.body as { code?: string }).code]).toEqual([400, 'SCOPE_KEY_UNKNOWN']);
  });

  it('a search finds what was just written and no longer what was just deleted or superseded', async () => {
    const { body } = await http.post<{ data: Hit }>('/api/memories', {
      content: 'A kingfisher.',
      name: 'king',
    });
    expect((await get('q=kingfisher')).body.meta.total).toBe(1);
    await http.put('/api/memories/named/king', { content: 'Still a kingfisher.' });
    expect(contents((await get('q=kingfisher')).body)).toEqual(['kingfisher.']);
    expect((await get('q=kingfisher&includeSuperseded=true')).body.meta.total).toBe(2);
    await http.delete(`/api/memories/${body.data.id}`);
    expect((await get('q=kingfisher&includeSuperseded=true')).body.meta.total).toBe(1);
  });
});
