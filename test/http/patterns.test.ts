import { beforeEach, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

interface Pattern {
  id: string;
  type: string;
  name: string;
  description: string;
  confidence: number;
  occurrences: number;
  evidenceMemoryIds: string[];
  metadata: object;
  context: string | null;
  pending: boolean;
  active: boolean;
  source: string;
  feedback: { positive: number; negative: number };
}
type One = { data: Pattern; error: string; code: string };
type List = { data: Pattern[]; count: number; pagination: { count: number }; error: string };
type Detected = {
  data: {
    detectedPatterns: Pattern[];
    count: number;
    stored: number;
    confidence: { average: number; highest: number };
    memoriesRead: number;
    claimsRead: number;
    isCut: boolean;
  };
  error: string;
};

describe.each(engines)('patterns on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;
  beforeEach(async () => {
    http = await app.newClient();
  });

  const write = async (content: string, more: object = {}) => {
    const made = await http.post<{ data: { id: string } }>('/api/memories', {
      content,
      conversationId: 'NEW',
      ...more,
    });
    expect(made.status).toBe(201);
    return made.body.data.id;
  };
  const detect = (body?: object) => http.post<Detected>('/api/patterns/detect', body);
  const compile = (body: object = {}) => http.post<List>('/api/patterns/compile', body);
  const list = async (query = '') => (await http.get<List>(`/api/patterns${query}`)).body;
  const feedback = (patternId: string, text: string) =>
    http.post<One>('/api/patterns/feedback', { patternId, feedback: text });
  const update = (id: string, body: object) => http.patch<One>(`/api/patterns/${id}`, body);
  const eraseForGood = async (id: string) => {
    await http.delete(`/api/memories/${id}`);
    const trash = await http.get<{ data: { id: string; recordId: string }[] }>('/api/trash');
    const entry = trash.body.data.find(({ recordId }) => recordId === id);
    expect((await http.delete(`/api/trash/${entry?.id}`)).status).toBeLessThan(300);
  };

  it('a detection finds preferences, rules and corrections, and stores them unless told not to', async () => {
    await write('Ana: I prefer tea over coffee.', { topics: ['drinks'] });
    await write('Ana: I still prefer tea over coffee.', { topics: ['drinks'] });
    const ids = [await write('Never deploy on a Friday.'), await write('please use vitest instead of jest')];
    const dry = await detect({ minConfidence: 0, autoStore: false });
    expect(dry.status).toBe(200);
    expect(dry.body.data).toMatchObject({ stored: 0, memoriesRead: 4, claimsRead: 4, isCut: false });
    expect(dry.body.data.confidence.highest).toBe(dry.body.data.detectedPatterns[0].confidence);
    expect((await list()).data).toEqual([]);
    expect((await detect()).body.data.stored).toBe(3);
    const { data, pagination } = await list();
    expect(pagination.count).toBe(3);
    expect(data.map(({ type, name }) => [type, name])).toEqual(
      expect.arrayContaining([
        ['preference', 'Prefers tea, not coffee'],
        ['rule', 'Never deploy on a Friday'],
        ['correction', 'Use vitest, not jest'],
      ]),
    );
    const tea = data.find(({ type }) => type === 'preference');
    expect(tea).toMatchObject({ occurrences: 2, context: 'drinks', pending: false, source: 'learned' });
    expect(data.find(({ type }) => type === 'rule')).toMatchObject({
      evidenceMemoryIds: [ids[0]],
      description: 'Never deploy on a Friday.',
      source: 'explicit',
    });
  });

  it('a detection without a body takes the defaults, and a detection over no memories finds nothing', async () => {
    const { status, body } = await detect();
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      detectedPatterns: [],
      count: 0,
      confidence: { average: 0, highest: 0 },
    });
  });

  it('a detection reads only memories of its time and context', async () => {
    await write('Never deploy on a Friday.', { eventTime: '2026-01-05T10:00:00Z', topics: ['ops'] });
    await write('Always rinse the rice.', { eventTime: '2026-03-05T10:00:00Z', topics: ['kitchen'] });
    const namesOf = async (body: object) =>
      (await detect({ autoStore: false, ...body })).body.data.detectedPatterns.map(({ name }) => name);
    expect(await namesOf({ timeframeEnd: '2026-02' })).toEqual(['Never deploy on a Friday']);
    expect(await namesOf({ timeframeStart: '2026-02-01' })).toEqual(['Always rinse the rice']);
    expect(await namesOf({ contextFilter: 'Kitchen' })).toEqual(['Always rinse the rice']);
    expect(await namesOf({ maxResults: 1 })).toHaveLength(1);
  });

  it('a compilation stores what was seen often enough, once however often it runs', async () => {
    await write('Ana: I prefer tea over coffee.');
    await write('Never deploy on a Friday.');
    await write('Ana: I prefer tea.');
    const first = await compile();
    expect(first.status).toBe(200);
    expect(first.body.data.map(({ name }) => name)).toEqual(['Prefers tea, not coffee']);
    expect(first.body.count).toBe(1);
    await write('Ana: I always prefer tea.');
    const [again] = (await compile()).body.data;
    expect(again).toMatchObject({ id: first.body.data[0].id, occurrences: 3 });
    expect(again.confidence).toBeGreaterThan(first.body.data[0].confidence);
    expect((await compile({ minOccurrences: 1 })).body.count).toBe(2);
    expect((await list()).pagination.count).toBe(2);
    expect((await list('?limit=1&offset=1')).data).toHaveLength(1);
  });

  it('what a person edited stays when patterns are compiled again', async () => {
    await write('Ana: I prefer tea over coffee.');
    await write('Ana: I prefer tea.');
    const [{ id }] = (await compile()).body.data;
    const change = { name: 'Tea', description: 'Only green tea.', confidence: 0.3, metadata: { by: 'Ana' } };
    const { status, body } = await update(id, change);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ ...change, source: 'manual' });
    await write('Ana: I prefer tea.');
    const [after] = (await compile()).body.data;
    expect(after).toMatchObject({ ...change, id, occurrences: 3 });
  });

  it('feedback moves the confidence as its formula says, and words of denial count as negative', async () => {
    await write('Never deploy on a Friday.');
    const [{ id, confidence: base }] = (await compile({ minOccurrences: 1 })).body.data;
    const given = async (text: string) => (await feedback(id, text)).body.data;
    expect((await given('positive')).confidence).toBeCloseTo((2 * base + 1) / 3, 10);
    expect((await given('neutral')).feedback).toEqual({ positive: 1, negative: 0 });
    expect((await given('That is not helpful')).confidence).toBeCloseTo((2 * base + 1) / 4, 10);
    expect((await given('Yes, exactly!')).feedback).toEqual({ positive: 2, negative: 1 });
    expect((await given('it rained')).feedback).toEqual({ positive: 2, negative: 1 });
    expect((await given('Not wrong at all')).feedback).toEqual({ positive: 3, negative: 1 });
    const takeBack = { patternId: id, feedback: 'positive', takeBack: true };
    const back = (await http.post<One>('/api/patterns/feedback', takeBack)).body.data;
    expect(back.feedback).toEqual({ positive: 2, negative: 1 });
    expect(back.confidence).toBeCloseTo((2 * base + 2) / 5, 10);
    await given('positive');
    // A compilation keeps what was judged.
    const [again] = (await compile({ minOccurrences: 1 })).body.data;
    expect(again.confidence).toBeCloseTo((2 * base + 3) / 6, 10);
  });

  it('a pattern is not seen while its memories are in the trash, and goes with the last one that is erased', async () => {
    const memory = await write('Never deploy on a Friday.');
    const kept = await write('Always rinse the rice.');
    await compile({ minOccurrences: 1 });
    await http.delete(`/api/memories/${memory}`);
    expect((await list()).data.map(({ name }) => name)).toEqual(['Always rinse the rice']);
    const trash = await http.get<{ data: { id: string }[] }>('/api/trash');
    await http.post(`/api/trash/${trash.body.data[0].id}/restore`);
    expect((await list()).data).toHaveLength(2);
    const rice = (await list()).data.find(({ name }) => name.includes('rice'));
    await update(rice?.id ?? '', { name: 'Rice' });
    await eraseForGood(memory);
    await eraseForGood(kept);
    const { data } = await list();
    // A person edited its name: that stays, and the words of the memory are gone.
    expect(data).toMatchObject([{ name: 'Rice', description: '', evidenceMemoryIds: [] }]);
  });

  it('an analysis counts what was seen in each period and says where it goes', async () => {
    const daysAgo = (days: number) => ({ eventTime: new Date(Date.now() - days * 86_400_000).toISOString() });
    for (const days of [9, 3, 2, 2, 1, 1, 1]) await write('Never deploy on a Friday.', daysAgo(days));
    await compile({ minOccurrences: 1 });
    const { status, body } = await http.post<{
      data: { analysis: { totalPatterns: number; recentPatterns: number; trends: Record<string, object> } };
    }>('/api/patterns/analyze', { timeRange: 10, includeDetails: true });
    expect(status).toBe(200);
    const { analysis } = body.data;
    expect(analysis).toMatchObject({ totalPatterns: expect.any(Number), patterns: expect.any(Array) });
    expect(analysis.trends.rule).toMatchObject({ patterns: 1, occurrences: 7, direction: 'rising' });
    expect((await http.post('/api/patterns/analyze')).status).toBe(200);
  });

  it.each([
    ['detect', { minConfidence: 2 }],
    ['detect', { maxResults: 0 }],
    ['detect', { timeframeStart: 'yesterday' }],
    ['detect', { timeframeStart: '2026-02-01', timeframeEnd: '2026-01-01' }],
    ['compile', { timeWindow: '0d' }],
    ['compile', { timeWindow: 'abc' }],
    ['compile', { minOccurrences: 0 }],
    ['analyze', { timeRange: 0 }],
    ['analyze', { groupBy: 'time' }],
    ['feedback', { patternId: 'x', feedback: '' }],
    ['feedback', { patternId: 'x', feedback: '  ' }],
    ['compile-instructions', { tokenBudget: 49 }],
    ['compile-instructions', { tokenBudget: 2001 }],
    ['behavior/state', {}],
    ['behavior/state', { state: [] }],
    ['behavior/state', { mutations: 'x' }],
  ])('patterns/%s refuses %j with 422', async (path, body) => {
    expect((await http.post(`/api/patterns/${path}`, body)).status).toBe(422);
  });

  it("another user's pattern gets the same response as one that does not exist", async () => {
    await write('Never deploy on a Friday.');
    const [{ id }] = (await compile({ minOccurrences: 1 })).body.data;
    const other = await app.newClient();
    const without = (text: string) => text.replace(/"requestId":"[^"]*"/, '');
    for (const ask of [
      (of: string) => other.patch(`/api/patterns/${of}`, { name: 'Mine' }),
      (of: string) => other.post('/api/patterns/feedback', { patternId: of, feedback: 'positive' }),
    ]) {
      const [real, made] = [await ask(id), await ask('no-such-pattern')];
      expect([real.status, made.status]).toEqual([404, 404]);
      expect(without(real.text)).toBe(without(made.text));
    }
    expect((await other.get<List>('/api/patterns')).body.data).toEqual([]);
    expect((await list()).data[0].name).toBe('Never deploy on a Friday');
  });

  it('instructions keep to their budget, resolve what conflicts, and a context for work shows what fits', async () => {
    type Compiled = {
      instructions: { instruction: string; activatedBy: string[] }[];
      conflictsResolved: object[];
      systemState: string;
      tokenCount: number;
    };
    const instruct = async (body?: object) =>
      (await http.post<Compiled>('/api/patterns/compile-instructions', body)).body;
    expect(await instruct()).toMatchObject({ instructions: [], systemState: 'cold_start' });
    await write('We usually drink tea.');
    await compile({ minOccurrences: 1 });
    expect(await instruct()).toMatchObject({ systemState: 'pending_only' });
    await write('please use vitest instead of jest');
    await write('we use Jest');
    await write('we use Jest');
    await write('Never deploy on a Friday.');
    await compile({ minOccurrences: 1 });
    const made = await instruct({ currentQuery: 'deploy with jest', minConfidence: 0, tokenBudget: 50 });
    expect(made.instructions.map(({ instruction }) => instruction)).toEqual([
      'Use vitest, not jest.',
      'Never deploy on a Friday.',
    ]);
    expect(made.conflictsResolved).toMatchObject([{ strategy: 'priority_override' }]);
    expect(made.tokenCount).toBeLessThanOrEqual(50);
    const built = await http.post<{ relatedPatterns: object[] }>('/api/memories/build-context', {
      context: 'deploy the service',
    });
    expect(built.body.relatedPatterns).toMatchObject([{ pattern: 'Never deploy on a Friday.' }]);
  });

  it('a pattern is told where any live memory that shows it fits, be it the oldest of many', async () => {
    const day = (i: number) => ({ eventTime: new Date(Date.UTC(2026, 0, 1 + i)).toISOString() });
    const oldest = await write('Ana: I prefer tea. A zeppelin landed on the harbour wall.', day(0));
    for (let i = 1; i <= 24; i++) await write(`Ana: I prefer tea. Invoice ${i * 37} went out today.`, day(i));
    await detect();
    const [{ id, occurrences }] = (await list()).data.filter(({ name }) => name === 'Prefers tea');
    expect(occurrences).toBe(25);
    type Compiled = {
      instructions: { patternId: string; activatedBy: string[]; evidenceSummary: string }[];
    };
    const fits = async () =>
      (
        await http.post<Compiled>('/api/patterns/compile-instructions', {
          currentQuery: 'zeppelin',
          minConfidence: 0,
        })
      ).body.instructions.filter(({ patternId }) => patternId === id);
    expect(await fits()).toMatchObject([{ activatedBy: ['memories'], evidenceSummary: '25 memories' }]);
    await http.delete(`/api/memories/${oldest}`);
    const { analysis } = (
      await http.post<{ data: { analysis: { patterns: Pattern[] } } }>('/api/patterns/analyze', {
        includeDetails: true,
      })
    ).body.data;
    expect(analysis.patterns.find((one) => one.id === id)).toMatchObject({ occurrences: 24 });
    await http.patch(`/api/patterns/${id}`, { metadata: { by: 'Ana' } });
    for (const { id: each } of (await http.get<List>('/api/memories?limit=100')).body.data)
      await http.delete(`/api/memories/${each}`);
    // Edited, so that it is seen without a memory; none of the trash counts.
    const bare = await http.post<Compiled>('/api/patterns/compile-instructions', { minConfidence: 0 });
    expect(bare.body.instructions).toMatchObject([{ patternId: id, evidenceSummary: '0 memories' }]);
  });

  it('a behaviour state is replaced whole or changed by a merge patch, each user their own', async () => {
    const state = (body: object) => http.post<{ data: object }>('/api/patterns/behavior/state', body);
    const read = async (of = http) =>
      (await of.get<{ data: object }>('/api/patterns/behavior/state')).body.data;
    expect(await read()).toEqual({});
    expect((await state({ state: { tone: 'brief', limits: { a: 1, b: 2 } } })).status).toBe(200);
    const changed = await state({ mutations: { tone: null, limits: { b: null, c: [1] }, seen: true } });
    expect(changed.body.data).toEqual({ limits: { a: 1, c: [1] }, seen: true });
    expect(await read()).toEqual(changed.body.data);
    expect(await read(await app.newClient())).toEqual({});
    const large = await state({ mutations: { text: 'x'.repeat(64 * 1024) } });
    expect(large.status).toBe(413);
    expect(await read()).toEqual(changed.body.data);
  });
});
