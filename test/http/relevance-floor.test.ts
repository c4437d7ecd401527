import { beforeAll, describe, expect, it } from 'vitest';
import { nothingFound } from '../../src/briefing/digest/render.ts';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

interface Search {
  readonly data: readonly { readonly id: string; readonly content: string; readonly relevance: number }[];
  readonly meta: { readonly bestRelevance: number; readonly relevanceFloor: number };
}
interface Digest {
  readonly digest: string;
  readonly metadata: { readonly averageRelevance?: number };
  readonly sources: readonly { readonly memoryId: string; readonly relevance: number }[];
}
interface Graph {
  readonly data: {
    readonly results: readonly {
      readonly memory: { readonly id: string };
      readonly score: number;
      readonly confidence: number;
    }[];
    readonly metadata: { readonly relevanceFloor: number };
  };
}
interface Communities {
  readonly data: readonly { readonly confidence: number; readonly sources: readonly string[] }[];
}

const notes: readonly (readonly [string, readonly string[]])[] = [
  ['We moved the sessions from Redis to PostgreSQL in November', ['sessions', 'postgresql']],
  ['Rejected: GraphQL for the partner API. REST stays.', ['partner api', 'graphql']],
  ['The partner API rejects a request without a signature', ['partner api', 'signatures']],
  ['Card payments are retried four times over ten days', ['billing', 'retries']],
  ['Invoices of the billing service are due on the fifth', ['billing', 'invoices']],
  ['Alice owns the gateway and is on call in odd weeks', ['on call', 'gateway']],
  ['Standup: the queue was full again, the limit is ten thousand', ['queue', 'limits']],
];
const unknown = ['kubernetes cluster upgrade', 'AWS account id', 'recipe for banana bread', 'zzqqxx'];

describe.each(engines)('the floor of relevance on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;

  beforeAll(async () => {
    http = await app.newClient();
    for (const [content, topics] of notes)
      await http.post('/api/memories', { content, topics, conversationId: 'NEW' });
    for (const object of ['PostgreSQL', 'REST'])
      await http.post('/api/facts', { subject: 'partner API', predicate: 'uses', object });
  });

  const ask = async <T>(path: string, body: object) => {
    const reply = await http.post<T>(path, body);
    expect([reply.status, path]).toEqual([200, path]);
    return reply.body;
  };
  const search = (query: string, more: object = {}) =>
    ask<Search>('/api/memories/search', { query, ...more });
  const digest = (query: string) => ask<Digest>('/api/memories/digest', { query });
  const graph = (query: string) => ask<Graph>('/api/graphrag/query', { query });
  const communities = (query: string) => ask<Communities>('/api/graphrag/query-communities', { query });

  it.each(unknown)('about %j, which was never stored, nothing is told', async (query) => {
    const { meta } = await search(query);
    expect(meta.bestRelevance).toBeLessThan(meta.relevanceFloor);
    expect(await digest(query)).toMatchObject({ digest: expect.stringContaining(nothingFound), sources: [] });
    const { results, metadata } = (await graph(query)).data;
    expect([results, metadata.relevanceFloor]).toEqual([[], meta.relevanceFloor]);
    expect((await communities(query)).data).toEqual([]);
    expect(await ask('/api/facts/search', { query })).toMatchObject({
      data: [],
      count: 0,
      metadata: { relevanceFloor: meta.relevanceFloor },
    });
  });

  it('each response that concludes from a search says the floor', async () => {
    const query = 'how often are card payments retried';
    const { relevanceFloor } = (await search(query)).meta;
    expect(relevanceFloor).toBe(0.08);
    const said = { relevanceFloor };
    expect(await digest(query)).toMatchObject({ metadata: said });
    expect(await graph(query)).toMatchObject({ data: { metadata: said } });
    expect(await communities(query)).toMatchObject({ meta: said });
    expect(await ask('/api/memories/build-context', { context: query })).toMatchObject({ meta: said });
    expect(await ask('/api/facts/search', { query })).toMatchObject({ metadata: said });
    expect(await ask('/api/topics/search', { query })).toMatchObject({ meta: said });
  });

  it.each([
    ['which proposals were rejected', 'Rejected: GraphQL for the partner API. REST stays.'],
    ['who is on call', 'Alice owns the gateway and is on call in odd weeks'],
    ['is the queue full', 'Standup: the queue was full again, the limit is ten thousand'],
  ])('of seven notes a digest about %j tells the one that answers', async (query, content) => {
    const { data, meta } = await search(query);
    expect(meta.bestRelevance).toBeGreaterThanOrEqual(meta.relevanceFloor);
    const found = data.find((hit) => hit.content === content);
    expect((await digest(query)).sources.map(({ memoryId }) => memoryId)).toContain(found?.id);
  });

  it('to a word that no model knows nothing is similar, no name of a topic either', async () => {
    expect(await ask('/api/topics/search', { query: 'zzqqxx' })).toMatchObject({ data: [], total: 0 });
  });

  it('what digests and answers from the graph say of relevance is that of the search', async () => {
    const query = 'how often are card payments retried';
    const { data, meta } = await search(query);
    const relevance = new Map(data.map((hit) => [hit.id, hit.relevance]));
    const { sources, metadata } = await digest(query);
    for (const source of sources) expect(source.relevance).toBe(relevance.get(source.memoryId));
    expect(metadata.averageRelevance).toBeCloseTo(
      sources.reduce((sum, source) => sum + source.relevance, 0) / sources.length,
    );
    const { results } = (await graph(query)).data;
    expect(results.map(({ score }) => score)).toEqual(
      results.map(({ score }) => score).sort((a, b) => b - a),
    );
    for (const { score, confidence } of results) expect(score).toBeGreaterThanOrEqual(confidence);
    for (const { memory, confidence } of results) expect(confidence).toBe(relevance.get(memory.id) ?? 0);
    for (const { confidence } of (await communities(query)).data)
      expect(confidence).toBeLessThanOrEqual(meta.bestRelevance);
  });

  it.each([
    ['rejected', 'Rejected: GraphQL for the partner API. REST stays.'],
    ['Rejected GraphQL', 'Rejected: GraphQL for the partner API. REST stays.'],
    ['standup', 'Standup: the queue was full again, the limit is ten thousand'],
  ])('for %j a label in front of a text is a word of it, in any search', async (query, content) => {
    for (const searchMethod of ['hybrid', 'keyword']) {
      const { data, meta } = await search(query, { searchMethod });
      const found = data.find((hit) => hit.content === content);
      expect([searchMethod, found?.relevance]).toEqual([searchMethod, meta.bestRelevance]);
      expect(found?.relevance).toBeGreaterThan(meta.relevanceFloor);
    }
  });
});

describe('a floor of 0', () => {
  const app = useApp('sqlite', { MEMORYD_RELEVANCE_FLOOR: '0' });

  it('lets digests tell whatever is nearest', async () => {
    const http = await app.newClient();
    await http.post('/api/memories', { content: 'The ferry leaves at nine.' });
    const { body } = await http.post<Digest>('/api/memories/digest', {
      query: 'does the train leave at nine',
    });
    expect(body.sources).toHaveLength(1);
  });
});

describe.each(engines)('a floor of .9 on %s', (engine) => {
  const app = useApp(engine, { MEMORYD_RELEVANCE_FLOOR: '0.9' });

  it('a search for topics leaves out what has a lower score, and says the floor', async () => {
    const http = await app.newClient();
    await http.post('/api/memories', { content: 'The partner API is frozen', topics: ['partner api'] });
    const found = async (query: string) => (await http.post<object>('/api/topics/search', { query })).body;
    const meta = { relevanceFloor: 0.9 };
    expect(await found('partner contract')).toMatchObject({ data: [], total: 0, meta });
    expect(await found('partner api')).toMatchObject({ data: [{ score: 1 }], total: 1, meta });
  });
});
