import { describe, expect, it } from 'vitest';
import { loadTokenCounter } from '../../src/briefing/text/tokens.ts';
import { engines } from '../support/database.ts';
import { useApp, useClient } from '../support/use-app.ts';

interface Built {
  activeWork: { conversationId: string; title: string; lastMemory: { id: string; summary: string } } | null;
  relevantMemories: {
    id: string;
    content: string;
    relevance: number;
    shortened?: boolean;
    files?: string[];
  }[];
  relevantFacts: { subject: string; sourceMemoryId: string }[];
  gotchas: { fact: string; sourceCount: number; sourceMemories: string[]; lastSeen: string }[];
  recentActivity: { id: string; summary: string }[];
  relatedPatterns: unknown[];
  meta: {
    contextTerms: string[];
    recentHours: number;
    tokens: number;
    omitted?: Record<string, number>;
    degraded?: boolean;
    failedSections?: string[];
    timedOutSections?: string[];
  };
}
type Made = { data: { id: string; conversationId: string } };

describe.each(engines)('built contexts on %s', (engine) => {
  const app = useApp(engine);
  const http = useClient(app);
  const remember = async (content: string, more: object = {}) =>
    (await http.post<Made>('/api/memories', { content, ...more })).body.data;
  const build = async (body: object) => {
    const reply = await http.post<Built>('/api/memories/build-context', body);
    expect([reply.status, reply.text]).toEqual([200, reply.text]);
    return reply.body;
  };

  it('built contexts of an empty store have all sections, empty', async () => {
    expect(await build({ context: 'retry failed jobs' })).toEqual({
      activeWork: null,
      relevantMemories: [],
      relevantFacts: [],
      gotchas: [],
      recentActivity: [],
      relatedPatterns: [],
      meta: {
        contextTerms: ['retry', 'failed', 'jobs'],
        relevanceFloor: 0.08,
        recentHours: 24,
        tokens: expect.any(Number),
      },
    });
  });

  it('built contexts name the active work, memories, facts, gotchas and recent activity', async () => {
    const first = await remember('The queue retries failed jobs three times.', { conversationId: 'NEW' });
    const last = await remember('Failed jobs are parked after that.', {
      conversationId: first.conversationId,
    });
    const other = await remember('The choir sings on Sundays.', { conversationId: 'NEW' });
    const fact = { subject: 'the queue', predicate: 'retries', object: 'failed jobs' };
    const said = await http.post<Made>('/api/facts', { ...fact, memoryId: first.id });
    expect(said.status).toBe(201);
    const built = await build({ context: 'change how failed jobs are retried', recentHours: 1 });
    expect(built.activeWork).toMatchObject({
      conversationId: first.conversationId,
      lastMemory: { id: last.id, summary: 'Failed jobs are parked after that.' },
    });
    expect(
      built.relevantMemories
        .slice(0, 2)
        .map(({ id }) => id)
        .sort(),
    ).toEqual([first.id, last.id].sort());
    expect(built.relevantFacts).toEqual([{ ...fact, confidence: 1, sourceMemoryId: first.id }]);
    expect(built.recentActivity.map(({ id }) => id)).toEqual([other.id, last.id, first.id]);
    expect(built.meta).toMatchObject({ recentHours: 1 });
    expect(built.meta.degraded).toBeUndefined();
  });

  it('built contexts put memories first that name a file, by its path or the words of its name', async () => {
    await remember('Failed jobs are retried three times.');
    const byPath = await remember('src/queue/retry-policy.ts must stay free of timers.');
    const byWords = await remember('Our retry policy changed last week.');
    const { relevantMemories } = await build({
      context: 'failed jobs',
      files: ['src/queue/retry-policy.ts', 'README.md'],
    });
    const named = relevantMemories.filter(({ files }) => files);
    expect(named.map(({ id }) => id).sort()).toEqual([byPath.id, byWords.id].sort());
    expect(relevantMemories.slice(0, 2)).toEqual(named);
    expect(named[0].files).toEqual(['src/queue/retry-policy.ts']);
  });

  it('built contexts keep within their budget of tokens', async () => {
    for (let i = 0; i < 20; i++)
      await remember(`Failed job number ${i} ${'was retried again and again '.repeat(20)}`);
    const small = await build({ context: 'failed jobs', tokenBudget: 600 });
    const large = await build({ context: 'failed jobs', tokenBudget: 6000 });
    const countTokens = await loadTokenCounter();
    const budgets = [[small, 600] as const, [large, 6000] as const];
    for (const [built, budget] of budgets) {
      expect(countTokens(JSON.stringify(built))).toBeLessThan(budget);
      expect(built.meta.tokens).toBeLessThanOrEqual(budget);
    }
    expect(large.relevantMemories.length).toBeGreaterThan(small.relevantMemories.length);
  });

  it('built contexts shorten a better memory rather than pass it over, and say what was cut', async () => {
    const long = 'The exchange rate cache was raised from 600 to 3600 seconds on Monday. ';
    const best = await remember(
      long + 'The rest of this text is about other matters of the month. '.repeat(20),
    );
    for (let i = 0; i < 9; i++) await remember(`Exchange rate number ${i} was wrong.`);
    const { relevantMemories, meta } = await build({
      context: 'raise the seconds of the exchange rate cache',
      tokenBudget: 400,
    });
    expect(relevantMemories[0]).toMatchObject({ id: best.id, shortened: true, content: long.trim() });
    expect(meta.omitted?.relevantMemories).toBeGreaterThan(0);
  });

  it('built contexts give memories about the task before what was written lately', async () => {
    for (let i = 0; i < 12; i++) await remember(`The exchange rate of day ${i} came from the bank.`);
    for (let i = 0; i < 12; i++) await remember(`The choir sang song number ${i} on Sunday.`);
    const { relevantMemories, recentActivity, meta } = await build({
      context: 'where the exchange rate of a day comes from',
      tokenBudget: 900,
    });
    expect([relevantMemories.length, recentActivity]).toEqual([expect.any(Number), []]);
    expect(relevantMemories.length).toBeGreaterThan(7);
    expect(meta.omitted).toMatchObject({ recentActivity: 10 });
  });

  it('built contexts leave out lines for tools', async () => {
    await remember('Mend the harbour crane (#12)\n\nSigned-off-by: Ana <ana@users.noreply.github.com>');
    const { relevantMemories, activeWork, recentActivity } = await build({ context: 'harbour crane' });
    const said = 'Mend the harbour crane (#12)';
    expect(relevantMemories.map(({ content }) => content)).toEqual([said]);
    expect(recentActivity.map(({ summary }) => summary)).toEqual([said]);
    expect(activeWork).toMatchObject({ title: said, lastMemory: { summary: said } });
  });

  it('a date in a plan filters nothing: a rule for that day comes first', async () => {
    await remember('Never deploy on Fridays. We broke checkout last spring that way.');
    for (const text of [
      'The invoicing beta goes to ten customers.',
      'We deploy the invoicing service by hand.',
    ])
      await remember(text);
    const { relevantMemories } = await build({ context: 'deploy the invoicing beta on Friday' });
    expect(relevantMemories[0].content).toMatch(/^Never deploy on Fridays/);
    expect(relevantMemories.every(({ relevance }) => relevance > 0)).toBe(true);
  });

  it('what is superseded is no active work, and its words are no title of it', async () => {
    const old = await remember('The gateway timeout defaults to 30 seconds.', { conversationId: 'NEW' });
    const { conversationId } = old;
    const now = await remember('The gateway timeout defaults to 90 seconds.', {
      conversationId,
      supersedes: old.id,
    });
    const { activeWork, ...rest } = await build({ context: 'change the gateway timeout' });
    expect(activeWork).toMatchObject({
      title: 'The gateway timeout defaults to 90 seconds.',
      lastMemory: { id: now.id },
    });
    expect(JSON.stringify(rest)).not.toContain('30 seconds');
  });

  it('built contexts list what is open about the task, unless a memory resolves it', async () => {
    const add = (content: string) => remember(content, { outcome: 'unresolved', conversationId: 'NEW' });
    const open = await add('The login form has no rate limit.');
    const solved = await add('The login form has no labels.');
    const fix = await remember('Labels were added to the login form.');
    await http.post(`/api/memories/${fix.id}/relationships`, { targetMemoryId: solved.id, type: 'RESOLVES' });
    const { relevantMemories } = await build({ context: 'change the login form' });
    expect(relevantMemories.flatMap((one) => ('open' in one ? [one.id] : []))).toEqual([open.id]);
  });

  it('built contexts name a section that failed, and have the others', async () => {
    await remember('Failed jobs are retried three times.');
    const { search } = app.services;
    const { conversations } = search;
    Object.assign(search, { conversations: () => Promise.reject(new Error('broken')) });
    try {
      const built = await build({ context: 'failed jobs' });
      expect(built.meta).toMatchObject({ degraded: true, failedSections: ['activeWork'] });
      expect([built.activeWork, built.relevantMemories.length]).toEqual([null, 1]);
    } finally {
      Object.assign(search, { conversations });
    }
  });

  it('built contexts name a section that is later than its deadline, and have the others', async () => {
    await remember('Failed jobs are retried three times.');
    const { search, briefing } = app.services;
    const { conversations } = search;
    const { context } = briefing;
    Object.assign(search, { conversations: () => new Promise(() => {}) });
    Object.assign(briefing, {
      context: ((user, request) => context(user, { ...request, deadlineMs: 2000 })) satisfies typeof context,
    });
    try {
      const built = await build({ context: 'failed jobs' });
      expect(built.meta).toMatchObject({ timedOutSections: ['activeWork'] });
      expect([built.activeWork, built.relevantMemories.length]).toEqual([null, 1]);
    } finally {
      Object.assign(search, { conversations });
      Object.assign(briefing, { context });
    }
  });

  it('built contexts show nothing of other users', async () => {
    await remember('Failed jobs are retried three times.');
    const other = await app.newClient();
    const { body } = await other.post<Built>('/api/memories/build-context', { context: 'failed jobs' });
    expect([body.activeWork, body.relevantMemories, body.recentActivity]).toEqual([null, [], []]);
  });

  it.each([
    [{ context: ' ' }, 'context'],
    [{ context: 'a', recentHours: 0 }, 'recentHours'],
    [{ context: 'a', recentHours: 721 }, 'recentHours'],
    [{ context: 'a', files: [''] }, 'files'],
    [{ context: 'a', tokenBudget: 10 }, 'tokenBudget'],
    [{ context: 'a'.repeat(2001) }, 'context'],
  ])('built contexts refuse %j', async (body, field) => {
    const reply = await http.post<{ error: string }>('/api/memories/build-context', body);
    expect([reply.status, reply.body.error]).toEqual([422, expect.stringContaining(field)]);
  });
});
