import { describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { useApp, useClient } from '../support/use-app.ts';

interface Found {
  readonly data: readonly (Readonly<Record<string, unknown>> & { readonly content: string })[];
  readonly meta: Readonly<Record<string, unknown>>;
  readonly facets?: unknown;
  readonly error?: string;
  readonly code?: string;
}

const sentence =
  'The gateway of the billing team writes every invoice twice: once for the ledger, once for the archive. ';

describe.each(engines)('searches of detail minimal on %s', (engine) => {
  const app = useApp(engine);
  const http = useClient(app);

  const remember = async (content: string, fields: object = {}) => {
    const reply = await http.post<{ data: { id: string } }>('/api/memories', {
      content,
      conversationId: 'NEW',
      ...fields,
    });
    expect(reply.status).toBe(201);
    return reply.body.data.id;
  };
  const post = async (fields: object) =>
    (
      await http.post<Found>('/api/memories/search', {
        query: 'billing invoice',
        detail: 'minimal',
        ...fields,
      })
    ).body;

  it('a result has id, content, time and relevance, the same by GET and by POST', async () => {
    const id = await remember('The billing invoice is paid.', {
      topics: ['money'],
      metadata: { a: 1 },
      eventTime: '2026-05-03T09:00:00.250Z',
    });
    const found = await post({});
    expect(found).toEqual({
      data: [
        {
          id,
          content: 'The billing invoice is paid.',
          time: '2026-05-03T09:00:00Z',
          relevance: expect.any(Number),
        },
      ],
      meta: { total: 1, bestRelevance: expect.any(Number), relevanceFloor: 0.08 },
    });
    const got = await http.get<Found>('/api/memories/search?q=billing%20invoice&detail=minimal');
    expect(got.body).toEqual(found);
    const standard = await post({ detail: 'standard' });
    expect(standard.data[0].relevance).toBeCloseTo(Number(found.data[0].relevance), 2);
    expect((await post({ detail: undefined })).data[0].matchedVia).toEqual(standard.data[0].matchedVia);
  });

  it.each([
    { from: 160, to: 320, limit: 20 },
    { from: 300, to: 1000, limit: 5 },
  ])('a response about texts of $from to $to characters has at most 1.6 times their bytes', async (texts) => {
    const { from, to, limit } = texts;
    for (let i = 0; i < 20; i++) {
      const length = Math.round(from + ((to - from) * i) / 19);
      const text = `${i}: ${sentence.repeat(Math.ceil(length / sentence.length))}`.slice(0, length);
      await remember(text, { eventTime: `2026-05-${10 + i}T09:00:00.123Z` });
    }
    const body = { query: 'which invoices did the billing team write in May 2026', detail: 'minimal', limit };
    const { text } = await http.send('POST', '/api/memories/search', { body });
    const { data, meta } = JSON.parse(text) as Found;
    expect(data).toHaveLength(limit);
    expect(meta.timeRead).toMatchObject({ from: '2026-05-01T00:00:00.000Z' });
    const ofTexts = data.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1.6 * ofTexts);
  });

  it('a result says its state only where it is not current', async () => {
    const older = await remember('The billing invoice is due on Monday.');
    const newer = await remember('The billing invoice is due on Friday.');
    const edge = await http.post(`/api/memories/${newer}/relationships`, {
      targetMemoryId: older,
      type: 'SUPERSEDES',
    });
    expect(edge.status).toBe(201);
    const { data } = await post({ includeSuperseded: true });
    expect(new Map(data.map(({ id, effectiveState }) => [id, effectiveState]))).toEqual(
      new Map([
        [newer, undefined],
        [older, 'superseded'],
      ]),
    );
  });

  it('a search without a query has no relevance, and facets are added where they are asked for', async () => {
    await remember('The billing invoice is paid.', { topics: ['money'] });
    const got = await http.get<Found>('/api/memories/search?topics=money&detail=minimal&includeFacets=true');
    expect(Object.keys(got.body.data[0])).toEqual(['id', 'content', 'time']);
    expect(got.body.meta).toEqual({ total: 1 });
    expect(got.body.facets).toMatchObject({ topics: [{ value: 'money', count: 1 }] });
  });

  it.each(['explain', 'includeTopics', 'includeEntities', 'includeFacts'])(
    'a search of detail minimal with %s is refused, for nothing would show it',
    async (field) => {
      const reply = await http.post<Found>('/api/memories/search', {
        query: 'billing',
        detail: 'minimal',
        [field]: true,
      });
      expect([reply.status, reply.body.code]).toEqual([422, 'INPUT_INVALID']);
      expect(reply.body.error).toContain(`${field} must not be true with detail minimal`);
      const got = await http.get<Found>(`/api/memories/search?q=billing&detail=minimal&${field}=true`);
      expect(got.status).toBe(422);
      expect((await http.get(`/api/memories/search?q=billing&detail=minimal&${field}=false`)).status).toBe(
        200,
      );
    },
  );

  it('a detail that searches do not know is refused with those they know', async () => {
    const reply = await http.get<Found>('/api/memories/search?q=billing&detail=everything');
    expect(reply.status).toBe(422);
    expect(reply.body.error).toMatch(/detail.*minimal.*standard/);
  });

  it('names of fields that a search does not know are in meta.ignored', async () => {
    expect((await post({ detial: 'full' })).meta.ignored).toEqual(['detial']);
  });
});
