import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AppFixture, newAppFixture } from '../support/app-fixture.ts';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';

type Hit = { name: string; score: number };
type Similar = { topic: { name: string }; similarity: number; similarityScore: number };

const names = ['Puppies', 'rateLimiting', 'docker', 'Tax returns', 'zqx17', 'prod zqx17'];

describe.each(engines)('topics by vectors on %s', (engine) => {
  const apps: AppFixture[] = [];
  let http: Client;
  let plain: Client;

  const start = async (settings: Record<string, string>) => {
    const app = await newAppFixture(engine, settings);
    apps.push(app);
    const client = await app.newClient();
    await client.post('/api/memories', { content: 'x', topics: names });
    return client;
  };
  beforeAll(async () => {
    http = await start({});
    plain = await start({ MEMORYD_EMBEDDER: 'none' });
  });
  afterAll(() => Promise.all(apps.map((app) => app.close())));

  const search = async (client: Client, query: string) =>
    (await client.post<{ data: Hit[] }>('/api/topics/search', { query })).body.data;
  const similar = async (client: Client, body: object) =>
    (await client.post<{ data: Similar[] }>('/api/topics/similar', body)).body.data;
  const similarity = async (client: Client, topicId1: string, topicId2: string) => {
    const body = { topicId1, topicId2 };
    return (await client.post<{ data: { similarity: number } }>('/api/topics/similarity', body)).body.data
      .similarity;
  };

  it('topics are found without a word in common, after those that have one', async () => {
    const [best, ...more] = await search(http, 'our dogs');
    expect(best.name).toBe('Puppies');
    expect(best.score).toSatisfy((score: number) => score > 0.25 && score < 0.5);
    expect(more).toEqual([]);
    expect((await search(http, 'container'))[0].name).toBe('docker');
    expect((await search(http, 'docker'))[0]).toMatchObject({ name: 'docker', score: 1 });
    const worded = await search(http, 'dogs or returns');
    expect(worded.map(({ name }) => name)).toEqual(['Puppies', 'Tax returns'].reverse());
    expect(await search(plain, 'our dogs')).toEqual([]);
    expect((await search(plain, 'docker'))[0]).toMatchObject({ name: 'docker', score: 1 });
  });

  it('topics are similar by vectors, or by words that no model knows', async () => {
    await http.post('/api/memories', { content: 'y', topics: ['containers', 'rate limits'] });
    const near = await similar(http, { topicId: 'DOCKER', threshold: 0.5 });
    expect(near.map(({ topic }) => topic.name)).toEqual(['containers']);
    expect(near[0].similarityScore).toBe(near[0].similarity);
    expect(near[0].similarity).toBeCloseTo(await similarity(http, 'containers', 'docker'), 2);
    expect((await similar(http, { topicId: 'rate limits' }))[0].topic.name).toBe('rateLimiting');
    for (const client of [http, plain]) {
      const [found] = await similar(client, { topicId: 'zqx17', limit: 1 });
      expect(found.topic.name).toBe('prod zqx17');
      expect(found.similarity).toBeGreaterThanOrEqual(0.5);
    }
    expect(await similar(plain, { topicId: 'docker' })).toEqual([]);
    expect(await similarity(plain, 'docker', 'Puppies')).toBe(0);
    expect(await similarity(http, 'docker', 'Docker')).toBe(1);
  });

  it('topics are never the same where their names differ by a mark that is part of one', async () => {
    for (const app of apps) {
      const client = await app.newClient();
      const topics = ['C', 'C++', 'C#', '.NET', 'NET', 'rate-limiting', 'rateLimiting'];
      await client.post('/api/memories', { content: 'x', topics });
      for (const [a, b] of [
        ['C', 'C++'],
        ['C', 'C#'],
        ['C++', 'C#'],
        ['.NET', 'NET'],
      ] as const)
        expect([a, b, (await similarity(client, a, b)) < 0.95]).toEqual([a, b, true]);
      expect(await similar(client, { topicId: 'C++', threshold: 1 })).toEqual([]);
      expect(await similarity(client, 'rate-limiting', 'rateLimiting')).toBe(0.99);
    }
  });

  it('topics are compared by characters where the model cannot read them', async () => {
    const client = await apps[0].newClient();
    await client.post('/api/memories', {
      content: 'x',
      topics: ['日本', '語', '日本語', 'Kubernetes', 'кот'],
    });
    for (const [a, b] of [
      ['日本', 'Kubernetes'],
      ['語', 'Kubernetes'],
      ['日本', '語'],
      ['кот', 'Kubernetes'],
    ] as const)
      expect([a, b, await similarity(client, a, b)]).toEqual([a, b, 0]);
    expect(await similarity(client, '日本', '日本語')).toBeCloseTo(2 / 3, 5);
    expect((await search(client, 'Kubernetes')).map(({ name }) => name)).toEqual(['Kubernetes']);
  });

  it('topics are all named by a threshold of 0, in a fixed order, and none of another user or merged away', async () => {
    const client = await apps[0].newClient();
    await client.post('/api/memories', { content: 'x', topics: ['cars', 'autos', 'trucks', 'bread'] });
    await client.post('/api/topics/merge', { sourceTopicId: 'autos', targetTopicId: 'cars' });
    const all = await similar(client, { topicId: 'autos', threshold: 0 });
    expect(all.map(({ topic }) => topic.name)).toEqual(['trucks', 'bread']);
    expect(await similar(client, { topicId: 'cars', threshold: 0, limit: 1 })).toHaveLength(1);
    expect(await similarity(client, 'cars', 'autos')).toBe(1);
    expect((await search(client, 'autos')).at(0)).toMatchObject({ name: 'cars', score: 1 });
  });

  it('topics are refused where unknown, of another user, or out of range', async () => {
    const other = await apps[0].newClient();
    for (const topicId of ['docker', 'nothing'])
      for (const [path, body] of [
        ['similar', { topicId }],
        ['similarity', { topicId1: topicId, topicId2: topicId }],
      ] as const) {
        const reply = await other.post<{ code: string }>(`/api/topics/${path}`, body);
        expect([reply.status, reply.body.code]).toEqual([404, 'TOPIC_NOT_FOUND']);
      }
    const topicId = 'docker';
    for (const body of [
      {},
      { topicId: '' },
      { topicId: 5 },
      { topicId, threshold: -0.1 },
      { topicId, threshold: 1.1 },
      { topicId, threshold: '0.5' },
      { topicId, limit: 0 },
    ])
      expect([body, (await http.post('/api/topics/similar', body)).status]).toEqual([body, 422]);
    for (const body of [{}, { topicId1: topicId }, { topicId1: topicId, topicId2: null }])
      expect([body, (await http.post('/api/topics/similarity', body)).status]).toEqual([body, 422]);
    const known = { topicId1: 'docker', topicId2: 'nothing' };
    expect((await http.post('/api/topics/similarity', known)).status).toBe(404);
  });
});
