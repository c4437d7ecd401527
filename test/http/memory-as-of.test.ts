import { describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import { useApp, useClient } from '../support/use-app.ts';

interface Detailed {
  readonly id: string;
  readonly content: string;
  readonly updatedAt: string;
  readonly effectiveState: string;
  readonly facts: readonly { readonly object: string }[];
  readonly relationships: readonly unknown[];
}
type One = { data: Detailed };

describe.each(engines)('a memory as it was, on %s', (engine) => {
  const app = useApp(engine);
  const http = useClient(app);

  const write = async (content: string, more: object = {}) =>
    (await http.post<One>('/api/memories', { content, conversationId: 'NEW', ...more })).body.data;

  it('an earlier time gives the text of then, its facts, and no relationship made since', async () => {
    const { id, updatedAt } = await write('Ana: I moved to Lisbon and work for Nordlicht now.');
    await deriveAll(app.services);
    await http.put(`/api/memories/${id}`, { content: 'Ana: I moved to Porto and work for Nordlicht now.' });
    await deriveAll(app.services);
    await write('Ana moved again.', { supersedes: id });
    const at = (time: string) => http.get<One>(`/api/memories/${id}?asOfTime=${time}&detail=full`);
    const then = await at(updatedAt);
    expect(then.body.data).toMatchObject({
      content: 'Ana: I moved to Lisbon and work for Nordlicht now.',
      effectiveState: 'current',
      relationships: [],
    });
    expect(then.body.data.facts.map(({ object }) => object)).toContain('Lisbon');
    expect(then.headers.get('etag')).toBeNull();
    const now = (await http.get<One>(`/api/memories/${id}?detail=full`)).body.data;
    expect(now).toMatchObject({ effectiveState: 'superseded', relationships: [{ type: 'SUPERSEDES' }] });
    expect(now.facts.map(({ object }) => object)).toContain('Porto');
    expect((await at('2999-01-01')).body.data).toEqual(now);
  });

  it('lists and counts are those of an earlier time, with the texts of then', async () => {
    const first = await write('The lamp is blue.');
    await http.put(`/api/memories/${first.id}`, { content: 'The lamp is red.' });
    await write('The door is green.');
    interface Listed {
      readonly data: readonly { readonly content: string }[];
      readonly pagination: { readonly count: number };
    }
    const list = async (as = http) =>
      (await as.get<Listed>(`/api/memories?asOfTime=${first.updatedAt}&sortBy=eventTime`)).body;
    const then = await list();
    expect(then.data.map(({ content }) => content)).toEqual(['The lamp is blue.']);
    expect(then.pagination.count).toBe(1);
    const bars = await http.get<{ data: { count: number }[] }>(
      `/api/memories/histogram?asOfTime=${first.updatedAt}`,
    );
    expect(bars.body.data.reduce((sum, { count }) => sum + count, 0)).toBe(1);
    const now = await http.get<Listed>('/api/memories?order=asc');
    expect(now.body.data.map(({ content }) => content)).toEqual(['The lamp is red.', 'The door is green.']);
    expect((await list(await app.newClient())).data).toEqual([]);
    expect((await http.get('/api/memories?asOfTime=2026-02-30')).status).toBe(422);
  });

  it('a time before it, its trash and another user have no such memory', async () => {
    const { id, updatedAt } = await write('The lamp is blue.');
    const early = await http.get(`/api/memories/${id}?asOfTime=2020-01-01`);
    const other = await app.newClient();
    const stranger = await other.get(`/api/memories/${id}?asOfTime=${updatedAt}`);
    await http.delete(`/api/memories/${id}`);
    const trashed = await http.get(`/api/memories/${id}?asOfTime=${updatedAt}`);
    expect([early.status, stranger.status, trashed.status]).toEqual([404, 404, 404]);
    const bad = await http.get<{ error: string }>(`/api/memories/${id}?asOfTime=soon`);
    expect([bad.status, bad.body.error]).toEqual([422, expect.stringContaining('asOfTime')]);
  });

  it('lists, bars and searches can be of one state', async () => {
    const older = (await write('The batch size is 500.', { eventTime: '2026-01-05T10:00:00Z' })).id;
    const newer = (await write('The batch size is 200 now.', { supersedes: older, memoryType: 'semantic' }))
      .id;
    const ids = async (path: string) =>
      (await http.get<{ data: { id: string }[] }>(path)).body.data.map(({ id }) => id);
    for (const [state, id] of [
      ['superseded', older],
      ['current', newer],
    ]) {
      expect(await ids(`/api/memories?effectiveState=${state}`)).toEqual([id]);
      expect(await ids(`/api/memories/search?q=batch+size&effectiveState=${state}`)).toEqual([id]);
      const bars = await http.get<{ count: number }>(`/api/memories/histogram?effectiveState=${state}`);
      expect(bars.body.count).toBe(1);
    }
    expect(await ids('/api/memories?memoryType=semantic')).toEqual([newer]);
    const listed = await http.get<{ filtersApplied: object }>(
      '/api/memories?effectiveState=superseded&memoryType=semantic',
    );
    expect(listed.body).toMatchObject({
      data: [],
      filtersApplied: { effectiveState: 'superseded', memoryType: 'semantic' },
    });
    const wrong = await http.get<{ error: string }>('/api/memories?effectiveState=gone');
    expect([wrong.status, wrong.body.error]).toEqual([422, expect.stringContaining('effectiveState')]);
  });
});
