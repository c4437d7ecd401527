import { beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

interface ApiResponse {
  data: { id: string; content: string; matchedVia: string[]; score?: number; effectiveState: string }[];
  meta: { total: number; temporalMetadata?: Record<string, unknown> };
  error: string;
}

describe.each(engines)('searches in time on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;
  beforeAll(async () => {
    http = await app.newClient();
  });

  const get = (query: string) => http.get<ApiResponse>(`/api/memories/search?${query}`);
  const post = (body: object) => http.post<ApiResponse>('/api/memories/search', body);
  const contents = ({ body }: { body: ApiResponse }) => body.data.map(({ content }) => content);

  it('searches in time return the same by GET and by POST, and say what times were asked about', async () => {
    const made = await http.post<{ data: { id: string; createdAt: string } }>('/api/memories', {
      conversationId: 'NEW',
      content: 'the heron nests in the oak',
    });
    const asOfTime = made.body.data.createdAt;
    // The clock must have moved for "then" and "now" to be two times.
    await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(asOfTime));
    await http.put(`/api/memories/${made.body.data.id}`, { content: 'the heron nests in the elm' });
    const past = await get(`q=heron&asOfTime=${asOfTime}`);
    expect(contents(past)).toEqual(['the heron nests in the oak']);
    expect(contents(await post({ query: 'heron', asOfTime }))).toEqual(contents(past));
    expect(past.body.meta.temporalMetadata).toEqual({
      temporalMode: 'current',
      asOfTime,
      validAtTime: null,
      eventTimeRange: null,
      ingestionTimeRange: null,
      includeExpired: false,
      temporalFieldsIncluded: true,
    });
    expect(contents(await get('q=heron'))).toEqual(['the heron nests in the elm']);
    expect((await get('q=heron')).body.meta.temporalMetadata).toBeUndefined();
    expect(contents(await get('q=heron&asOfTime=2999-01-01'))).toEqual(['the heron nests in the elm']);
    expect(contents(await get('q=heron&asOfTime=2001-01-01'))).toEqual([]);
    const said = await get('q=heron&temporalMode=evolution');
    expect(contents(said)).toEqual(['the heron nests in the oak', 'the heron nests in the elm']);
    expect(said.body.data[0].matchedVia).toEqual(['version']);
    expect(said.body.data[0].score).toBeUndefined();
    expect(said.body.meta.total).toBe(2);
    expect(contents(await get('q=heron&temporalMode=evolution&limit=1&offset=1'))).toEqual([
      'the heron nests in the elm',
    ]);
  });

  it('searches in time prefer the calendar unit that the query means, with the conversation or alone', async () => {
    const visitor = await app.newClient();
    const now = new Date();
    const middleOf = (year: number) => `${year}-01-20`;
    const [last, current] = [middleOf(now.getUTCFullYear() - 1), middleOf(now.getUTCFullYear())];
    for (const eventTime of [last, current]) {
      const body = { conversationId: 'NEW', content: 'dentist visit', eventTime };
      expect((await visitor.post('/api/memories', body)).status).toBe(201);
    }
    const years = async (query: string) => {
      const { body } = await visitor.get<{ data: { eventTime: string }[] }>(
        `/api/memories/search?searchMethod=keyword&${query}`,
      );
      return body.data.map(({ eventTime }) => eventTime.slice(0, 10));
    };
    for (const context of ['true', 'false']) {
      expect(await years(`q=dentist+visit+last+year&context=${context}`)).toEqual([last, current]);
      expect(await years(`q=dentist+visit+this+year&context=${context}`)).toEqual([current, last]);
    }
  });

  it('searches in time browse what was known at a time without a query', async () => {
    const other = await app.newClient();
    await other.post('/api/memories', { content: 'later' });
    const reply = await other.get<ApiResponse>('/api/memories/search?asOfTime=2999-01-01');
    expect(contents(reply)).toEqual(['later']);
  });

  it('searches in time hide what has expired, unless it is asked for', async () => {
    await http.post('/api/memories', { content: 'the ferry runs hourly', validTo: '2020-01-01' });
    expect((await get('q=ferry')).body.meta.total).toBe(0);
    expect((await get('q=ferry&includeExpired=true')).body.meta.total).toBe(1);
    expect((await get('q=ferry&temporalMode=historical')).body.meta.total).toBe(1);
  });

  it.each(['keyword', 'hybrid', 'semantic'])(
    'the first instant after a period is no part of it in a %s search, and what happened in it comes first',
    async (searchMethod) => {
      const one = await app.newClient();
      const add = (eventTime: string, content: string) =>
        one.post('/api/memories', { conversationId: 'NEW', content, eventTime });
      await add('2025-11-01', 'the swan left the pond');
      // What is of the period may say a little more than what is asked.
      await add('2025-10-07', 'the swan left the pond in the rain');
      const body = { query: 'the swan left in October 2025', searchMethod, explain: false };
      const { data } = (await one.post<{ data: { eventTime: string }[] }>('/api/memories/search', body)).body;
      expect(data.map(({ eventTime }) => eventTime.slice(0, 10))).toEqual(['2025-10-07', '2025-11-01']);
      const alone = { query: 'what happened in October 2025', searchMethod };
      expect((await one.post<ApiResponse>('/api/memories/search', alone)).body.meta.total).toBe(1);
    },
  );

  it('what is to become valid later is not current, in searches, digests, contexts and graph answers', async () => {
    const one = await app.newClient();
    const add = (content: string, more = {}) => one.post('/api/memories', { content, ...more });
    await add('Olga rents an office in Brno');
    await add('Olga rents an office in Vienna', { validFrom: '2999-01-01' });
    await add('Olga visits the office in Graz', { eventTime: '2999-01-01' });
    const query = 'Olga office';
    const textOf = async (path: string, body: object) => (await one.post(path, body)).text;
    const current = await Promise.all([
      textOf('/api/memories/search', { query }),
      textOf('/api/memories/search', { query, searchMethod: 'keyword', temporalMode: 'current' }),
      textOf('/api/memories/digest', { query }),
      textOf('/api/memories/build-context', { context: query }),
      textOf('/api/graphrag/query', { query }),
    ]);
    for (const text of current) {
      expect(text).not.toContain('Vienna');
      expect(text).toContain('Brno');
    }
    expect(current[0]).toContain('Graz');
    expect(await textOf('/api/memories/search', { query, includeExpired: true })).toContain('Vienna');
    expect(await textOf('/api/memories/search', { query, validAtTime: '2999-02-01' })).toContain('Vienna');
  });

  it('searches in time refuse times that cannot be read and unknown modes, naming them', async () => {
    for (const field of ['asOfTime', 'validAtTime', 'temporalMode']) {
      const reply = await get(`q=heron&${field}=yesterdayish`);
      expect(reply.status).toBe(422);
      expect(reply.body.error).toContain(field);
      const sent = await post({ query: 'heron', [field]: 'yesterdayish' });
      expect([sent.status, sent.body.error]).toEqual([422, expect.stringContaining(field)]);
    }
  });
});
