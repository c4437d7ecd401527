import { describe, expect, it } from 'vitest';
import { nothingFound } from '../../src/briefing/digest/render.ts';
import { engines } from '../support/database.ts';
import { useApp, useClient } from '../support/use-app.ts';

interface DigestBody {
  digest: string;
  metadata: Record<string, unknown> & { sourcesUsed: number };
  sources: { memoryId: string; relevance: number; conversation?: string }[];
  keyFacts: { subject: string; mentions: number }[];
  effectiveStateBreakdown: Record<string, number>;
  entities: { name: string }[];
  recentMemories?: { content: string }[];
}
type Made = { data: { id: string; conversationId: string } };

describe.each(engines)('digests on %s', (engine) => {
  const app = useApp(engine);
  const http = useClient(app);
  const remember = async (content: string, more: object = {}) =>
    (await http.post<Made>('/api/memories', { content, ...more })).body.data;
  const digestOf = async (body: object) => {
    const reply = await http.post<DigestBody>('/api/memories/digest', body);
    expect([reply.status, reply.text]).toEqual([200, reply.text]);
    return reply.body;
  };

  it('digests of nothing say so with 200', async () => {
    const digest = await digestOf({ query: 'tides' });
    expect(digest).toMatchObject({ digest: `# tides\n\n${nothingFound}\n`, sources: [], keyFacts: [] });
    expect(digest.metadata).toMatchObject({
      sourcesUsed: 0,
      sourcesConsidered: 0,
      timeRange: null,
      query: 'tides',
    });
  });

  it('digests tell what memories say, without a heading that all share, with numbers, days and facts, and the same twice', async () => {
    const tide = await remember('High tide in the harbour is at six.', {
      topics: ['tides'],
      eventTime: '2026-02-01T09:30:00Z',
    });
    await remember('Low tide in the harbour is at noon.', {
      topics: ['tides'],
      eventTime: '2026-02-02T09:30:00Z',
    });
    await remember('The choir sings on Sundays.', { conversationId: 'NEW' });
    const fact = { subject: 'harbour', predicate: 'has', object: 'tides' };
    await http.post('/api/facts', { ...fact, memoryId: tide.id });
    const digest = await digestOf({ query: 'harbour tides' });
    expect(digest.digest).toMatch(
      /^# harbour tides\n\nSources: \d, conversations: \d, from 2026-02-01 to .*\n\n- 2026-02-01: High tide in the harbour is at six\. \[\d\]\n- 2026-02-02: Low tide/,
    );
    expect(digest.keyFacts).toEqual([{ ...fact, confidence: 1, mentions: 1 }]);
    expect(digest.sources[0].relevance).toBeGreaterThan(0.3);
    expect(digest.metadata.timeRange).toMatchObject({ earliest: '2026-02-01T09:30:00.000Z' });
    expect((await digestOf({ query: 'harbour tides' })).digest).toBe(digest.digest);
  });

  it('a digest of a query that matches nothing stored has no sources and says so, whatever lies nearest', async () => {
    const other = await app.newClient();
    for (const content of ['x', 'Olga rents an office in Brno', 'The beta moved to December'])
      await other.post('/api/memories', { content, topics: ['work'] });
    for (const query of ['zzzznothing', 'zzqqxx']) {
      const { body } = await other.post<DigestBody>('/api/memories/digest', { query });
      expect(body).toMatchObject({ digest: `# ${query}\n\n${nothingFound}\n`, sources: [] });
    }
    const narrowed = { query: 'what we did', recent: '2d' };
    expect((await other.post<DigestBody>('/api/memories/digest', narrowed)).body.sources).not.toEqual([]);
  });

  it('a digest that lists ids names every source that its text cites, superseded ones too', async () => {
    const other = await app.newClient();
    const add = async (content: string, more = {}) =>
      (await other.post<Made>('/api/memories', { content, ...more })).body.data.id;
    const old = await add('The ferry office opens at eight.');
    const now = await add('The ferry office opens at nine.', { supersedes: old });
    const { digest } = (
      await other.post<DigestBody>('/api/memories/digest', { query: 'ferry office', includeMemoryIds: true })
    ).body;
    const [text, ids] = digest.split('## Memories');
    const cited = new Set(text.match(/(?<=\[)\d+(?=\])/g));
    expect(cited.size).toBe(2);
    expect(new Set(ids.match(/(?<=- \[)\d+(?=\])/g))).toEqual(cited);
    expect(ids).toContain(old);
    expect(ids).toContain(now);
  });

  it('digests tell what was superseded as such, and name what took its place', async () => {
    const old = await remember('The harbour office opens at eight.');
    const next = await remember('The harbour office opens at nine now.');
    await http.post(`/api/memories/${next.id}/relationships`, { targetMemoryId: old.id, type: 'SUPERSEDES' });
    const { digest, effectiveStateBreakdown } = await digestOf({
      query: 'when does the harbour office open',
    });
    expect(digest).toMatch(
      /The harbour office opens at nine now\. \[1\] Before \(\d{4}-\d\d-\d\d\): The harbour office opens at eight\. \[2\]\n/,
    );
    expect(digest.match(/opens at eight\. \[/g)).toHaveLength(1);
    expect(effectiveStateBreakdown).toEqual({ current: 1, superseded: 1, contradicted: 0 });
  });

  it('digests tell what is contradicted as such, and by which memory', async () => {
    const one = await remember('The harbour light is green.');
    const other = await remember('The harbour light is red.');
    await http.post(`/api/memories/${other.id}/relationships`, {
      targetMemoryId: one.id,
      type: 'CONTRADICTS',
    });
    const { digest, effectiveStateBreakdown } = await digestOf({ query: 'colour of the harbour light' });
    expect(digest).toMatch(
      /The harbour light is red\. \[\d\] Contradicts \([\d-]+\): The harbour light is green\. \[\d\]/,
    );
    expect(effectiveStateBreakdown).toEqual({ current: 1, superseded: 0, contradicted: 1 });
  });

  it('equal texts about events on different days are lines of their own, equal ones of a day are one', async () => {
    for (const day of [3, 4, 4, 5])
      await remember('Vet appointment for the cat.', { eventTime: `2026-02-0${day}T09:30:00Z` });
    const { digest, metadata } = await digestOf({ query: 'vet appointment', format: 'timeline' });
    expect(digest.match(/Vet appointment/g)).toHaveLength(3);
    expect(digest).toMatch(/## 2026-02-04\n- Vet appointment for the cat\. \[\d\] \[\d\]\n/);
    expect(metadata).toMatchObject({ sourcesUsed: 4, timeRange: { latest: '2026-02-05T09:30:00.000Z' } });
  });

  it('what two people say is one line, but not what each says about itself', async () => {
    const eventTime = '2026-02-03T09:30:00Z';
    for (const speaker of ['Ines', 'Jonas']) {
      await remember(`${speaker}: The dough calculator rounds to five grams now.`, { eventTime });
      await remember(`${speaker}: I check the dough calculator every single morning.`, { eventTime });
    }
    const { digest } = await digestOf({ query: 'dough calculator' });
    expect(digest.match(/rounds to five grams now\. \[\d\] \[\d\]/g)).toHaveLength(1);
    expect(digest.match(/rounds to five grams/g)).toHaveLength(1);
    expect(digest.match(/I check the dough calculator/g)).toHaveLength(2);
  });

  it('a status report without a matter lists what is open and done by its outcome, and each TODO', async () => {
    await remember('PIER-7: signatures of the cameras.', { outcome: 'unresolved' });
    await remember('PIER-3: the handrail.', { outcome: 'resolved' });
    await remember('TODO: paint the boathouse door.');
    await remember('The choir sings on Sundays.');
    for (const query of ['what is still open', 'open work']) {
      const { digest, metadata } = await digestOf({ query, format: 'status-report' });
      expect(digest).toMatch(/## Done\n- [^#]*PIER-3[^#]*## Open\n- [^#]*PIER-7/);
      expect(digest.split('## Open')[1]).toContain('boathouse');
      expect(digest).not.toContain('choir');
      expect(metadata.sourcesUsed).toBe(3);
    }
  });

  it('a status report tells problems with what resolved them, and leaves out what is no task', async () => {
    const bug = await remember('Bug PIER-7: signatures of the pier cameras are not checked.', {
      outcome: 'unresolved',
    });
    const fix = await remember('The pier cameras reject unsigned frames since today, see the log.');
    await http.post(`/api/memories/${fix.id}/relationships`, { targetMemoryId: bug.id, type: 'RESOLVES' });
    await remember('The pier camera at the end needs a new cable, not ordered yet.');
    await remember('Never switch off the pier cameras at night.');
    await remember('Pier camera frames are cached for 600 seconds.');
    const { digest } = await digestOf({ query: 'pier camera', format: 'status-report' });
    expect(digest).toMatch(
      /## Done\n- .*reject unsigned frames.* \[\d\] Resolves \([\d-]+\): Bug PIER-7[^#]*## Open\n- [^#]*new cable/,
    );
    expect(digest).not.toMatch(/Never switch off|600 seconds/);
  });

  it('trailers of commits and fillers are no part of a digest', async () => {
    await remember('Mend the harbour crane (#12)\n\nSigned-off-by: Ana <ana@users.noreply.github.com>');
    await remember('Ana: Um, yeah, right.', { topics: ['crane'] });
    const { digest, entities } = await digestOf({ query: 'harbour crane', recent: '1h' });
    expect(digest).toContain('- ');
    expect(digest).not.toMatch(/Signed-off-by|noreply|Um, yeah/);
    expect(JSON.stringify(entities)).not.toContain('noreply');
  });

  it.each(['narrative', 'timeline', 'status-report'])('digests come as %s', async (format) => {
    await remember('The pier was repaired and the work is done.', { eventTime: '2026-02-01T09:30:00Z' });
    await remember('The pier lights are blocked by a missing part.', { eventTime: '2026-02-03T09:30:00Z' });
    const { digest, metadata } = await digestOf({ query: 'pier', format });
    expect(metadata.format).toBe(format);
    expect(digest).toContain('The pier lights are blocked by a missing part. [');
    if (format === 'status-report') expect(digest).toMatch(/## Done\n[^#]*repaired[^#]*## Blocked\n/);
    if (format === 'timeline') expect(digest).toMatch(/## 2026-02-01\n[^#]*## 2026-02-03\n/);
    if (format === 'narrative') expect(digest).toMatch(/On 2026-02-01: The pier was .* On 2026-02-03: /);
  });

  it('digests are made of what their filters let through', async () => {
    const one = await remember('A boat in the bay.', { topics: ['boats'], conversationId: 'NEW' });
    const two = await remember('Another boat in the bay, quite unlike that one.', { conversationId: 'NEW' });
    await remember('A third boat, out at sea with its crew.', { conversationId: 'NEW' });
    const idsOf = async (more: object) =>
      (await digestOf({ query: 'boat', ...more })).sources.map(({ memoryId }) => memoryId);
    expect(await idsOf({ topics: ['boats'] })).toEqual([one.id]);
    const conversationIds = [one.conversationId, two.conversationId];
    expect((await idsOf({ conversationIds })).sort()).toEqual([one.id, two.id].sort());
    expect(await idsOf({ recent: '1h' })).toHaveLength(3);
    expect(await idsOf({ maxSources: 1 })).toHaveLength(1);
    const { digest, recentMemories } = await digestOf({
      query: 'boat',
      includeMemoryIds: true,
      verbatimRecent: 1,
    });
    expect(digest).toContain(one.id);
    expect(recentMemories?.map(({ content }) => content)).toEqual([
      'A third boat, out at sea with its crew.',
    ]);
  });

  it('digests show nothing of other users', async () => {
    await remember('The lighthouse keeper is called Ada.');
    const other = await app.newClient();
    const reply = await other.post<DigestBody>('/api/memories/digest', { query: 'lighthouse keeper' });
    expect(reply.body.sources).toEqual([]);
  });

  it.each([
    [{ query: '' }, 'query'],
    [{ query: ' ' }, 'query'],
    [{ query: 'a', maxSources: 0 }, 'maxSources'],
    [{ query: 'a', maxSources: 501 }, 'maxSources'],
    [{ query: 'a', format: 'poem' }, 'format'],
    [{ query: 'a', recent: '0d' }, 'recent'],
    [{ query: 'a', recent: 'abc' }, 'recent'],
    [{ query: 'a', tokenBudget: 49 }, 'tokenBudget'],
    [{}, 'query'],
  ])('digests refuse %j with a sentence about %s', async (body, field) => {
    const reply = await http.post<{ error: string }>('/api/memories/digest', body);
    expect([reply.status, reply.body.error]).toEqual([422, expect.stringContaining(field)]);
  });
});
