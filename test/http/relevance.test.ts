import { describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { useApp, useClient } from '../support/use-app.ts';

interface Found {
  readonly data: readonly {
    readonly content: string;
    readonly relevance?: number;
    readonly matchedVia: readonly string[];
  }[];
  readonly meta: { readonly total: number; readonly bestRelevance?: number };
}

const notes = [
  'We moved the sessions from Redis to PostgreSQL in November',
  'Card payments are retried four times over ten days',
  'The root cause of the outage on the third of November was a full connection pool',
  'Alice owns the kubernetes cluster and is on call in odd weeks',
  'I am allergic to peanuts and to cats',
  'The release of version 2.4 was postponed to the first of December',
  'Use Neovim with the gruvbox theme for every project',
  'The gateway leaks memory because of unbounded request buffers',
  'Invoices for the accounting department are due on the fifth',
  'Our cheapest server costs forty euros a month',
  'The staging database can be reached through the bastion host',
  'Marco is away until the twelfth, Bea covers for him',
];

const known = [
  'which card payments are retried',
  'who owns the kubernetes cluster',
  'root cause of the outage',
];
const unknown = ['recipe for banana bread', 'best holiday in Greece', 'how do I tune a violin'];

describe.each(engines)('relevance on %s', (engine) => {
  const app = useApp(engine);
  const http = useClient(app);

  const remember = async (contents: readonly string[]) => {
    for (const content of contents)
      expect((await http.post('/api/memories', { content, conversationId: 'NEW' })).status).toBe(201);
  };
  const search = async (query: string, fields: object = {}) => {
    const reply = await http.post<Found>('/api/memories/search', { query, ...fields });
    expect(reply.status).toBe(200);
    return reply.body;
  };

  it('a question whose answer is stored has a first hit above 0.5, one about something else has none', async () => {
    await remember(notes);
    for (const searchMethod of ['keyword', 'hybrid', 'semantic']) {
      for (const query of known) {
        const { data, meta } = await search(query, { searchMethod });
        expect(data[0].relevance, `${searchMethod}: ${query}`).toBeGreaterThan(0.5);
        expect(meta.bestRelevance).toBeGreaterThanOrEqual(data[0].relevance ?? 1);
      }
      for (const query of unknown) {
        const { data, meta } = await search(query, { searchMethod });
        expect(meta.bestRelevance, `${searchMethod}: ${query}`).toBeLessThan(0.5);
        for (const { relevance } of data) expect(relevance).toBeLessThanOrEqual(meta.bestRelevance ?? 0);
      }
    }
  });

  it('a hybrid search whose best no network orders is judged by weights of its own', async () => {
    await remember(notes);
    for (const query of known) {
      const { data } = await search(query, { context: false });
      expect(data[0].relevance, query).toBeGreaterThan(0.5);
    }
    for (const query of unknown)
      expect((await search(query, { context: false })).meta.bestRelevance, query).toBeLessThan(0.5);
  });

  it('an answer is known by the question before it, and not the same answer about a name that nobody has', async () => {
    const talk = ['Where do you keep the sourdough starter?', 'In the fridge, on the lowest shelf.'];
    let conversationId = 'NEW';
    for (const content of talk) {
      const stored = await http.post<{ data: { conversationId: string } }>('/api/memories', {
        content,
        conversationId,
      });
      conversationId = stored.body.data.conversationId;
    }
    await remember(notes);
    const asked = await search('Where is the sourdough starter kept?');
    const foreign = await search('Where is the telescope of Ferdinand kept?');
    expect(asked.meta.bestRelevance).toBeGreaterThan(0.5);
    expect(foreign.meta.bestRelevance).toBeLessThan(0.2);
  });

  it('minRelevance leaves out what is less relevant, and bestRelevance says why nothing remains', async () => {
    await remember(notes);
    const all = await search(known[0]);
    const some = await search(known[0], { minRelevance: 0.5 });
    const least = all.data.filter(({ relevance = 0 }) => relevance >= 0.5);
    expect(some.data).toEqual(least);
    expect(some.meta.total).toBe(least.length);
    const none = await search(unknown[0], { minRelevance: 0.5 });
    expect(none.data).toEqual([]);
    expect(none.meta.total).toBe(0);
    expect(none.meta.bestRelevance).toBe((await search(unknown[0])).meta.bestRelevance);
    const got = await http.get<Found>(
      '/api/memories/search?q=which%20card%20payments%20are%20retried&minRelevance=0.5',
    );
    expect(got.body.data.map(({ content }) => content)).toEqual(least.map(({ content }) => content));
  });

  it('relevance and bestRelevance are the same whatever page was asked for', async () => {
    await remember(notes);
    const query = 'the outage of the cluster in November';
    const { data, meta } = await search(query, { threshold: 0 });
    const page = await search(query, { threshold: 0, limit: 2, offset: 3 });
    expect(page.data.map(({ relevance }) => relevance)).toEqual(
      data.slice(3, 5).map(({ relevance }) => relevance),
    );
    expect(page.meta.bestRelevance).toBe(meta.bestRelevance);
  });

  it('a memory that has words of near meaning alone is never more relevant than 0.4', async () => {
    await remember(['We adopted two puppies from the shelter', ...notes]);
    const { data } = await search('which pets', { threshold: 1 });
    expect(data.map(({ content }) => content)).toContain('We adopted two puppies from the shelter');
    for (const { relevance, matchedVia } of data) {
      expect(matchedVia).toEqual(['near-words']);
      expect(relevance).toBeLessThanOrEqual(0.4);
    }
  });

  it('a query that matches nothing has a bestRelevance of 0, and a list without a query has none', async () => {
    await remember(notes);
    const nothing = await search('xylograph', { searchMethod: 'keyword' });
    expect([nothing.data.length, nothing.meta.bestRelevance]).toEqual([0, 0]);
    const listed = await http.get<Found>('/api/memories/search?memoryType=episodic&minRelevance=0.5');
    expect(listed.body.data.length).toBe(notes.length);
    expect(listed.body.data[0]).not.toHaveProperty('relevance');
    expect(listed.body.meta).not.toHaveProperty('bestRelevance');
  });

  it('a query of a time alone has no relevance, and minRelevance leaves out nothing that is of the time', async () => {
    const eventTime = new Date(Date.now() - 86_400_000).toISOString();
    const body = { content: 'The heater was mended', conversationId: 'NEW', eventTime };
    expect((await http.post('/api/memories', body)).status).toBe(201);
    const { data, meta } = await search('yesterday', { minRelevance: 0.9 });
    expect(data.map(({ content }) => content)).toEqual(['The heater was mended']);
    expect(data[0]).not.toHaveProperty('relevance');
    expect(meta).not.toHaveProperty('bestRelevance');
  });

  it('a minRelevance outside 0 to 1 is refused by a sentence that names it', async () => {
    for (const minRelevance of [-0.1, 1.1, 'high']) {
      const reply = await http.post<{ error: string }>('/api/memories/search', { query: 'x', minRelevance });
      expect(reply.status).toBe(422);
      expect(reply.body.error).toContain('minRelevance');
    }
  });
});
