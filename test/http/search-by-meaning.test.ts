import { beforeAll, describe, expect, it } from 'vitest';
import { newAppFixture } from '../support/app-fixture.ts';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

interface Hit {
  id: string;
  content: string;
  matchedVia: string[];
  score: number;
  vectorScore?: number;
  vectorRank?: number;
  hybridScore?: number;
  fulltextScore?: number;
  explanation: { matchReason: string; contributingFactors: string[] };
}
interface ApiResponse {
  data: Hit[];
  meta: { total: number; searchMethod: string; degraded?: boolean };
  error: string;
}

const notes = [
  'We adopted two puppies from the shelter',
  'The invoice of the electrician arrived',
  'Deploys run from the main branch',
  'My sister plays the violin in an orchestra',
  'The bakery closes at noon on Saturdays',
];

describe.each(engines)('searches by vectors on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;
  beforeAll(async () => {
    http = await app.newClient();
    for (const content of notes) await http.post('/api/memories', { content, conversationId: 'NEW' });
  });

  const search = (of: Client, body: object) =>
    of.post<ApiResponse>('/api/memories/search', { limit: 5, ...body });
  const first = async (body: object) => (await search(http, body)).body.data[0];

  it('a semantic search finds what shares no word with the query, as soon as it is written', async () => {
    for (const [query, content] of [
      ['which pets do I own', notes[0]],
      ['musical relatives', notes[3]],
      ['when can I buy bread', notes[4]],
    ]) {
      for (const searchMethod of ['hybrid', 'semantic'])
        expect([query, (await first({ query, searchMethod, threshold: 0 })).content]).toEqual([
          query,
          content,
        ]);
      const byWords = await search(http, { query, searchMethod: 'keyword' });
      expect(byWords.body.data.map((hit) => hit.content)).not.toContain(content);
    }
  });

  it('a hybrid search says how it found: similarity, rank, synonyms and what each signal gave', async () => {
    const hit = await first({ query: 'which pets do I own', explain: true });
    expect(hit).toMatchObject({
      vectorRank: 1,
      hybridScore: hit.score,
      matchedVia: ['vector', 'near-words'],
    });
    expect(hit.vectorScore).toBeGreaterThan(0.5);
    expect(hit.vectorScore).toBeLessThanOrEqual(1);
    expect(hit.explanation.matchReason).toContain('pets ~');
    expect(hit.explanation.contributingFactors.join()).toContain('its meaning +');
    const words = await first({ query: 'electrician', searchMethod: 'keyword', explain: true });
    expect(words).toMatchObject({ matchedVia: ['fulltext'] });
    for (const absent of ['vectorScore', 'vectorRank', 'hybridScore'])
      expect(words).not.toHaveProperty(absent);
  });

  it('a hybrid search lets pass what reaches the threshold, and a semantic one nothing else', async () => {
    const of = async (threshold: number) =>
      (
        await search(http, {
          query: 'which pets do I own',
          searchMethod: 'semantic',
          threshold,
          context: false,
        })
      ).body;
    const all = await of(0);
    expect(all.data.length).toBeGreaterThan(1);
    for (const threshold of [0.3, 0.5, 0.7]) {
      const { data, meta } = await of(threshold);
      expect(meta.searchMethod).toBe('semantic');
      expect(data.map(({ id }) => id)).toEqual(
        all.data.filter(({ vectorScore = 0 }) => vectorScore >= threshold).map(({ id }) => id),
      );
    }
    expect((await of(1)).data).toEqual([]);
  });

  it('a hybrid search weighs vectors and words as asked', async () => {
    const body = { query: 'electrician pets', context: false, threshold: 0 };
    const words = (await search(http, { ...body, vectorWeight: 0 })).body;
    expect(words.meta.searchMethod).toBe('keyword');
    expect(words.data.map(({ content }) => content)).toEqual([notes[1]]);
    const models = (await search(http, { ...body, fulltextWeight: 0 })).body;
    expect(models.meta.searchMethod).toBe('semantic');
    const both = (await search(http, body)).body.data.map(({ content }) => content);
    expect(both.slice(0, 2).sort()).toEqual([notes[0], notes[1]].sort());
    const neither = await search(http, { ...body, vectorWeight: 0, fulltextWeight: 0 });
    expect([neither.status, neither.body.error]).toEqual([422, expect.stringContaining('vectorWeight')]);
    for (const wrong of [{ threshold: 1.1 }, { vectorWeight: -0.1 }, { searchMethod: 'magic' }])
      expect((await search(http, { ...body, ...wrong })).status).toBe(422);
  });

  it('a semantic search follows edits and deletions, and finds by the text as it was', async () => {
    const own = await app.newClient();
    const made = await own.post<{ data: { id: string; createdAt: string } }>('/api/memories', {
      content: 'I drink an espresso every morning',
      conversationId: 'NEW',
    });
    const { id, createdAt } = made.body.data;
    const query = 'favourite coffee';
    const contents = async (more: object = {}) =>
      (await search(own, { query, searchMethod: 'semantic', ...more })).body.data.map(
        ({ content }) => content,
      );
    expect(await contents()).toEqual(['I drink an espresso every morning']);
    await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(createdAt));
    await own.put(`/api/memories/${id}`, { content: 'The train leaves from platform nine' });
    expect(await contents()).toEqual([]);
    expect(await contents({ asOfTime: createdAt })).toEqual(['I drink an espresso every morning']);
    await own.delete(`/api/memories/${id}`);
    expect(await contents({ asOfTime: createdAt })).toEqual([]);
    expect(await contents({ threshold: 0 })).toEqual([]);
  });

  it('a semantic search finds in the middle of a long text what it is about', async () => {
    const own = await app.newClient();
    const filler =
      'The meeting went through the budget line by line and nobody objected to any of it. '.repeat(60);
    const aside =
      'Maria told us about her two kittens: they purr, scratch the sofa and chase a toy mouse. '.repeat(6);
    const content = filler + aside + filler;
    await own.post('/api/memories', { content, conversationId: 'NEW' });
    await own.post('/api/memories', { content: filler.slice(0, 2000), conversationId: 'NEW' });
    const { data } = (
      await search(own, {
        query: 'cats as house pets',
        searchMethod: 'semantic',
        threshold: 0,
        context: false,
      })
    ).body;
    expect(data[0].content).toBe(content);
  });

  it('similar memories come nearest first and never contain the memory itself, or go by topics without an embedder', async () => {
    const own = await app.newClient();
    const ids: string[] = [];
    for (const content of ['The dog barks at night', 'A puppy howls until morning', 'Taxes are due in May'])
      ids.push((await own.post<{ data: { id: string } }>('/api/memories', { content })).body.data.id);
    type Similar = { data: { memory: { id: string }; score: number; relationship: string }[] };
    const { status, body } = await own.get<Similar>(`/api/memories/${ids[0]}/similar?limit=5`);
    expect(status).toBe(200);
    expect(body.data).toMatchObject([{ memory: { id: ids[1] }, relationship: 'similar' }]);
    expect(body.data[0].score).toBeGreaterThanOrEqual(0.5);
    expect((await http.get(`/api/memories/${ids[0]}/similar`)).status).toBe(404);
  });

  it('a semantic search accepts any query', async () => {
    for (const query of ['the of and', '?!', '🙂🙂', 'x'.repeat(32_768), '[UNK]', 'zqxjk']) {
      for (const searchMethod of ['semantic', 'hybrid']) {
        const { status } = await search(http, { query, searchMethod });
        expect([query.slice(0, 10), status]).toEqual([query.slice(0, 10), 200]);
      }
    }
  });

  it('a semantic search keeps to the filter, and to the user', async () => {
    const other = await app.newClient();
    for (let i = 0; i < 30; i++)
      await other.post('/api/memories', {
        content: `A kitten number ${i}`,
        topics: [i === 7 ? 'rare' : 'common'],
      });
    const body = { query: 'pets', searchMethod: 'semantic', threshold: 0, limit: 100 };
    const rare = (await search(other, { ...body, topics: ['rare'] })).body;
    expect(rare.data.map(({ content }) => content)).toEqual(['A kitten number 7']);
    const mine = (await search(http, body)).body.data.map(({ content }) => content);
    expect(mine.filter((content) => content.includes('kitten'))).toEqual([]);
  });
});

describe('a service without an embedder', () => {
  it('a service without an embedder answers every search by keyword and says so, without being degraded', async () => {
    const app = await newAppFixture('sqlite', { MEMORYD_EMBEDDER: 'none' });
    const http = await app.newClient();
    await http.post('/api/memories', { content: notes[0] });
    for (const searchMethod of ['semantic', 'hybrid']) {
      const { body } = await http.post<ApiResponse>('/api/memories/search', {
        query: 'puppies',
        searchMethod,
      });
      expect(body.data.map(({ content }) => content)).toEqual([notes[0]]);
      expect(body.meta.searchMethod).toBe('keyword');
      expect(body.meta).not.toHaveProperty('degraded');
      expect(
        (await http.post<ApiResponse>('/api/memories/search', { query: 'pets', searchMethod })).body.data,
      ).toEqual([]);
    }
    await app.close();
  });
});
