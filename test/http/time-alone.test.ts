import { beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

interface ApiResponse {
  data: {
    content: string;
    score: number;
    matchedVia: string[];
    branchScores: Record<string, number>;
    explanation?: { matchReason: string };
  }[];
  meta: { total: number; timeRead?: { text: string } };
}

const methods = ['hybrid', 'keyword', 'semantic'] as const;
const DAY_MS = 86_400_000;

describe.each(engines)('questions of a time on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;
  const twelveDaysAgo = new Date(Date.now() - 12 * DAY_MS).toISOString();
  beforeAll(async () => {
    http = await app.newClient();
    for (const body of [
      { content: 'Kayaks were repaired', eventTime: '2025-05-03T09:00:00Z' },
      { content: 'Lunch with the plumber', eventTime: '2025-05-03T12:00:00Z' },
      { content: 'What happened in May was a surprise', eventTime: '2025-08-03' },
      { content: 'The tax is due on 24 November 2031', eventTime: '2025-06-10' },
      { content: 'The week was rainy', eventTime: '2024-01-01' },
      { content: 'Sails arrived', eventTime: twelveDaysAgo },
    ])
      expect((await http.post('/api/memories', { ...body, conversationId: 'NEW' })).status).toBe(201);
  });

  const search = async (query: string, more: object = {}) =>
    (await http.post<ApiResponse>('/api/memories/search', { query, ...more })).body;
  const contents = ({ data }: ApiResponse) => data.map(({ content }) => content);
  const ofThatDay = ['Lunch with the plumber', 'Kayaks were repaired'];

  it.each([
    'what happened on 3 May 2025',
    'What did I do on 3 May 2025?',
    'anything noted on 2025-05-03',
    'Show me everything that happened in May 2025',
    'Was ist am 3. Mai 2025 passiert?',
    'was habe ich im Mai 2025 gemacht',
    "qu'est-ce qui s'est passé le 3 mai 2025",
    'qué pasó el 3 de mayo de 2025',
  ])('questions of a time alone find the memories of it and no others: "%s"', async (query) => {
    for (const searchMethod of methods)
      for (const threshold of [0, 0.5]) {
        const found = await search(query, { searchMethod, threshold });
        expect([searchMethod, contents(found)]).toEqual([searchMethod, ofThatDay]);
        expect(found.meta.total).toBe(2);
      }
  });

  it('questions of a time alone say why a memory was found', async () => {
    const [hit] = (await search('what happened on 3 May 2025', { explain: true })).data;
    expect(hit).toMatchObject({ score: 1, matchedVia: ['time'], branchScores: { time: 1 } });
    expect(hit?.explanation?.matchReason).toBe('Is of the time asked for: "on 3 May 2025".');
  });

  it('questions of a time alone keep filters, orders and pages', async () => {
    const query = 'what happened in 2025';
    const page = await search(query, { sortBy: 'eventTime', order: 'asc', limit: 2, offset: 1 });
    expect(contents(page)).toEqual(['Lunch with the plumber', 'The tax is due on 24 November 2031']);
    expect(page.meta.total).toBe(4);
    expect(contents(await search(query, { eventTimeFrom: '2025-08-01' }))).toEqual([
      'What happened in May was a surprise',
    ]);
  });

  it('a question of a time counted from now finds nothing where nothing is of it, whatever words texts have', async () => {
    const found = await search('what happened yesterday');
    expect([found.data, found.meta.timeRead?.text]).toEqual([[], 'yesterday']);
    expect(contents(await search('what did I note in the last 20 days'))).toEqual(['Sails arrived']);
  });

  it('words of a time count as nothing else where other words are asked for', async () => {
    for (const searchMethod of methods) {
      const found = await search('plumber in May 2025', { searchMethod, explain: true });
      expect(contents(found)[0]).toBe('Lunch with the plumber');
      expect(contents(found)).not.toContain('What happened in May was a surprise');
    }
    const rainy = await search('rainy days in the last 20 days', { searchMethod: 'keyword', context: false });
    expect(rainy.data.map(({ content, matchedVia }) => [content, matchedVia])).toEqual([
      ['Sails arrived', ['time']],
      ['The week was rainy', ['fulltext']],
    ]);
  });

  it('words of a date of which there is no memory are words, for texts speak of times to come', async () => {
    for (const query of ['what is on 24 November 2031', 'taxes on 24 November 2031'])
      for (const searchMethod of ['hybrid', 'keyword'])
        expect(contents(await search(query, { searchMethod }))[0]).toBe('The tax is due on 24 November 2031');
  });

  it('what a time next to other words gave is named by itself', async () => {
    const [hit] = (await search('plumber in May 2025', { searchMethod: 'keyword', context: false })).data;
    expect(hit?.branchScores).toMatchObject({ time: 1.35 });
    const [other] = (await search('plumber', { searchMethod: 'keyword' })).data;
    expect(other?.branchScores).not.toHaveProperty('time');
  });

  it('a month without a year is that of any year, in the order of results', async () => {
    const found = await search('kayaks, plumbers and surprises in May', {
      searchMethod: 'keyword',
      context: false,
    });
    expect(contents(found).slice(0, 2).toSorted()).toEqual(ofThatDay.toSorted());
  });

  it.each(methods)(
    'a date that no memory is of is searched for in texts, also as the first search of a user: %s',
    async (searchMethod) => {
      const user = await app.newClient();
      const content = 'The tax is due on 24 November 2031';
      const body = { content, eventTime: '2025-06-10', conversationId: 'NEW' };
      expect((await user.post('/api/memories', body)).status).toBe(201);
      const query = 'what happened on 24 November 2031';
      const { status, body: found } = await user.post<ApiResponse>('/api/memories/search', {
        query,
        searchMethod,
      });
      expect([status, contents(found)]).toEqual([200, [content]]);
    },
  );
});
