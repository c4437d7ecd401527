import { describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import { useApp, useClient } from '../support/use-app.ts';

interface Explained {
  readonly memoryId: string;
  readonly status: string;
  readonly reason: string;
  readonly rank?: number;
  readonly score?: number;
  readonly lastScore?: number;
  readonly relevance?: number;
  readonly filters?: readonly { readonly filter: string; readonly reason: string }[];
  readonly arms?: readonly { readonly arm: string; readonly found: boolean; readonly reason: string }[];
  readonly missingWords?: readonly string[];
  readonly explanation?: {
    readonly parts: readonly { readonly key: string; readonly label: string; readonly value: number }[];
  };
}
interface Hit {
  readonly id: string;
  readonly content: string;
  readonly score: number;
  readonly relevance: number;
  readonly highlights?: readonly { readonly start: number; readonly end: number }[];
  readonly explanation: Required<Explained>['explanation'];
}
interface Found {
  readonly data: readonly Hit[];
  readonly meta: { readonly total: number };
  readonly explained: Explained;
}

describe.each(engines)('a search that explains one memory, on %s', (engine) => {
  const app = useApp(engine);
  const http = useClient(app);

  const write = async (content: string, more: object = {}) => {
    const made = await http.post<{ data: { id: string } }>('/api/memories', {
      content,
      conversationId: 'NEW',
      ...more,
    });
    expect([made.status, made.text]).toEqual([201, made.text]);
    return made.body.data.id;
  };
  const search = async (explainId: string, body: object) =>
    (await http.post<Found>('/api/memories/search', { explainId, ...body })).body;
  const explain = async (explainId: string, body: object) => (await search(explainId, body)).explained;

  it('what is on the page is found, with its rank, its score and the parts that add up to it', async () => {
    await write('The night train to Vienna leaves at nine.');
    const id = await write('A train to Graz, and the ticket for it.');
    const { data, explained } = await search(id, { query: 'night train to Vienna', explain: true });
    const at = data.findIndex((hit) => hit.id === id);
    expect(explained).toMatchObject({
      status: 'found',
      rank: at + 1,
      score: data[at].score,
      relevance: data[at].relevance,
      reason: `It was found at rank ${at + 1}.`,
      missingWords: ['night', 'Vienna'],
    });
    for (const { score, explanation } of data) {
      const sum = explanation.parts.reduce((total, { value }) => total + value, 0);
      expect(sum).toBeCloseTo(score, 4);
    }
    const sizes = data[0].explanation.parts.map(({ value }) => Math.abs(value));
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
  });

  it('the words of a short text are highlighted where a search explains', async () => {
    await write('The night train to Vienna leaves at nine.');
    const { data } = await search('none', { query: 'trains to vienna', explain: true });
    const [{ content, highlights = [] }] = data;
    expect(highlights.map(({ start, end }) => content.slice(start, end))).toEqual(['train', 'Vienna']);
    const plain = await search('none', { query: 'trains to vienna' });
    expect(plain.data[0].highlights).toBeUndefined();
  });

  it('what another user has is unknown like an id of nothing, byte for byte', async () => {
    const id = await write('The night train to Vienna.');
    const other = await app.newClient();
    await other.post('/api/memories', { content: 'A train of mine.', conversationId: 'NEW' });
    const bodyOf = async (explainId: string) => {
      const reply = await other.post('/api/memories/search', { query: 'train', explainId });
      expect(reply.status).toBe(200);
      return reply.text.replaceAll(explainId, 'ID').replace(/"searchTime":[\d.]+/, '');
    };
    const unknown = await bodyOf('00000000-0000-4000-8000-000000000000');
    expect(await bodyOf(id)).toBe(unknown);
    expect(unknown).toContain('"status":"unknown","reason":"There is no memory with this id."');
  });

  it('each filter that leaves it out is named with what the memory has, and no other', async () => {
    const id = await write('The night train to Vienna.', {
      topics: ['travel'],
      eventTime: '2026-03-05T10:00:00Z',
      memoryType: 'semantic',
      metadata: { team: 'core' },
      codeContext: { product: 'maps' },
    });
    await deriveAll(app.services);
    const query = 'night train';
    const failing: readonly (readonly [object, string, string])[] = [
      [{ topics: ['food'] }, 'topics', 'its topics are travel'],
      [{ excludeTopics: ['travel'] }, 'excludeTopics', 'its topics are travel'],
      [{ memoryType: 'procedural' }, 'memoryType', 'it is semantic'],
      [{ eventTimeFrom: '2026-04-01' }, 'eventTimeFrom', 'it happened at 2026-03-05T10:00:00.000Z'],
      [{ eventTimeTo: '2026-03-01' }, 'eventTimeTo', 'it happened at 2026-03-05T10:00:00.000Z'],
      [{ ingestionTimeTo: '2020-01-01' }, 'ingestionTimeTo', 'it was written at 2'],
      [{ metadata: { team: 'shop' } }, 'metadata', 'its metadata has no team=shop'],
      [{ scope: 'product:shop' }, 'scope', 'its codeContext is {"product":"maps"}'],
      [{ taskId: 'T-1' }, 'taskId', 'it has no taskId'],
      [{ outcomeFilter: 'resolved' }, 'outcomeFilter', 'it has no outcome'],
      [{ conversationId: 'other' }, 'conversationId', 'its conversation is '],
      [{ validAtTime: '2026-01-01' }, 'validAtTime', 'it states no validity'],
    ];
    for (const [filter, name, reason] of failing) {
      const explained = await explain(id, { query, ...filter });
      expect([name, explained.status]).toEqual([name, 'filtered']);
      expect(explained.filters).toEqual([{ filter: name, reason: expect.stringContaining(reason) }]);
    }
    const passing = { topics: ['travel'], memoryType: 'semantic', metadata: { team: 'core' } };
    expect(await explain(id, { query, ...passing })).toMatchObject({ status: 'found' });
    const { filters = [] } = await explain(id, { query, ...passing, taskId: 'T-1', topics: ['food'] });
    expect(filters.map(({ filter }) => filter).toSorted()).toEqual(['taskId', 'topics']);
  });

  it('what is superseded names the memory that is newer, and is found among the superseded', async () => {
    const older = await write('The batch size is 500.');
    const newer = await write('The batch size is 200 now.', { supersedes: older });
    const query = 'batch size';
    expect(await explain(older, { query })).toMatchObject({
      status: 'filtered',
      filters: [{ filter: 'includeSuperseded', reason: `it is superseded; ${newer} is newer` }],
    });
    expect(await explain(older, { query, includeSuperseded: true })).toMatchObject({ status: 'found' });
    expect(await explain(newer, { query })).toMatchObject({ status: 'found', rank: 1 });
  });

  it('what is no longer valid is left out by its validity', async () => {
    const id = await write('The office is in Graz.', { validTo: '2026-01-01T00:00:00Z' });
    const expired = await explain(id, { query: 'office in Graz' });
    expect(expired.filters).toEqual([
      { filter: 'includeExpired', reason: 'it is valid until 2026-01-01T00:00:00.000Z' },
    ]);
    expect(await explain(id, { query: 'office in Graz', includeExpired: true })).toMatchObject({
      status: 'found',
    });
  });

  it('quoted words that only other memories have leave it out', async () => {
    const id = await write('The train of the night to Vienna.');
    await write('The night train to Vienna.');
    const { status, filters } = await explain(id, { query: '"night train"' });
    expect([status, filters?.map(({ filter }) => filter)]).toEqual(['filtered', ['phrase']]);
  });

  it('what has no word in common says which words, and how far its meaning is', async () => {
    const id = await write('Quarterly invoices go to the accountant.');
    await write('The night train to Vienna leaves at nine.');
    const byWords = await explain(id, { query: 'night train', searchMethod: 'keyword' });
    expect(byWords).toMatchObject({
      status: 'unmatched',
      missingWords: ['night', 'train'],
      arms: [
        { arm: 'fulltext', found: false, reason: 'It has none of the words of the query: night, train.' },
      ],
    });
    const { status, arms = [] } = await explain(id, { query: 'night train' });
    expect(status).toBe('unmatched');
    expect(arms.map(({ arm, found }) => [arm, found])).toEqual([
      ['fulltext', false],
      ['vector', false],
      ['near-words', false],
    ]);
    const [, similarity] = /similarity of (\S+) is below the threshold of 0\.50/.exec(arms[1].reason) ?? [];
    expect(Number(similarity)).toBeLessThan(0.5);
    const lowered = await search(id, { query: 'night train', threshold: Number(similarity) - 0.01 });
    expect(lowered.explained.status).toBe('found');
  });

  it('a word that is corrected or completed is not missing', async () => {
    const id = await write('The appointment is on Monday.');
    const { missingWords } = await explain(id, { query: 'appoitnment mond', searchMethod: 'keyword' });
    expect(missingWords).toEqual([]);
  });

  it('what does not reach the minimum relevance says both numbers', async () => {
    const id = await write('A train set for children.');
    await write('The night train to Vienna leaves at nine.');
    const query = 'when does the night train to Vienna leave';
    const { relevance = 1 } = await explain(id, { query, searchMethod: 'keyword' });
    const minRelevance = Math.min(1, Math.round((relevance + 0.05) * 100) / 100);
    const explained = await explain(id, { query, searchMethod: 'keyword', minRelevance });
    expect(explained).toMatchObject({
      status: 'belowRelevance',
      relevance,
      reason: `Its relevance of ${relevance.toFixed(2)} is below the minimum of ${minRelevance.toFixed(2)}.`,
    });
  });

  it('what is on another page has its rank, and the score that it lacks', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 8; i++) ids.push(await write(`Train ${i}: ${'and more of it '.repeat(i)}`));
    const all = await search(ids[0], { query: 'train', limit: 100 });
    for (const sort of [{}, { order: 'asc' }, { sortBy: 'createdAt' }]) {
      const { data } = await search(ids[0], { query: 'train', limit: 100, ...sort });
      for (const [at, { id }] of data.entries()) {
        const explained = await explain(id, { query: 'train', limit: 3, offset: 3, ...sort });
        expect([explained.rank, explained.status]).toEqual([
          at + 1,
          at >= 3 && at < 6 ? 'found' : 'notOnPage',
        ]);
      }
    }
    const later = await explain(all.data[7].id, { query: 'train', limit: 3 });
    expect(later).toMatchObject({
      status: 'notOnPage',
      score: all.data[7].score,
      lastScore: all.data[2].score,
      reason: 'It was found at rank 8 of 8: this page ends at 3.',
    });
    const earlier = await explain(all.data[0].id, { query: 'train', limit: 3, offset: 3 });
    expect(earlier.reason).toBe('It was found at rank 1 of 8: this page begins at 4.');
  });

  it('what is in the trash is named so, and what was erased is unknown', async () => {
    const id = await write('The night train to Vienna.');
    const deleted = await http.delete(`/api/memories/${id}`);
    expect(await explain(id, { query: 'night train' })).toMatchObject({ status: 'inTrash' });
    await http.delete(`/api/trash/${deleted.headers.get('trash-entry')}`, { confirm: true });
    expect(await explain(id, { query: 'night train' })).toMatchObject({ status: 'unknown' });
  });

  it('a time before it was written was too early for it, and its text of then is what is searched', async () => {
    const id = await write('The lamp is blue.');
    const then = (await http.get<{ data: { updatedAt: string } }>(`/api/memories/${id}`)).body.data.updatedAt;
    await http.put(`/api/memories/${id}`, { content: 'The lamp is red.' });
    expect(await explain(id, { query: 'blue', searchMethod: 'keyword' })).toMatchObject({
      status: 'unmatched',
    });
    const before = await explain(id, { query: 'blue', searchMethod: 'keyword', asOfTime: then });
    expect(before.status).toBe('found');
    const early = await explain(id, { query: 'blue', asOfTime: '2020-01-01' });
    expect(early).toMatchObject({ status: 'notKnownYet' });
    expect(early.reason).toContain(`It came to the service at ${then}`);
  });

  it('the evolution of matches lists versions: the first decides', async () => {
    const id = await write('The lamp is blue.');
    await http.put(`/api/memories/${id}`, { content: 'The lamp is red.' });
    const far = await write('Quarterly invoices go to the accountant.');
    const evolution = { query: 'lamp', searchMethod: 'keyword', temporalMode: 'evolution' };
    expect(await explain(id, evolution)).toMatchObject({ status: 'found', rank: 1 });
    expect(await explain(id, { ...evolution, offset: 5 })).toMatchObject({ status: 'notOnPage', rank: 1 });
    expect(await explain(far, evolution)).toMatchObject({ status: 'unmatched' });
  });

  it('a list by filters alone, a query of a time alone and a search for facts are explained, too', async () => {
    const id = await write('Ana lives in Graz.', { eventTime: '2026-03-05T10:00:00Z', topics: ['home'] });
    await write('Ana lives in Linz.', { eventTime: '2026-05-05T10:00:00Z', topics: ['home'] });
    await deriveAll(app.services);
    const listed = await http.get<Found>(
      `/api/memories/search?topics=home&sortBy=eventTime&limit=1&explainId=${id}`,
    );
    expect(listed.body.explained).toMatchObject({ status: 'notOnPage', rank: 2 });
    const inMay = await explain(id, { query: 'what happened in May 2026' });
    expect(inMay).toMatchObject({ status: 'unmatched', arms: [{ arm: 'time', found: false }] });
    const facts = await explain(id, { query: 'bicycles', mode: 'facts', searchMethod: 'keyword' });
    expect(facts).toMatchObject({ status: 'unmatched', arms: [{ arm: 'fact', found: false }] });
    const minimal = await explain(id, { query: 'Graz', detail: 'minimal' });
    expect(minimal).toMatchObject({ status: 'found', rank: 1 });
  });
});
