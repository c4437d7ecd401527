import { describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { useApp, useClient } from '../support/use-app.ts';

type Made = { data: { id: string } };
interface Report {
  totalMemories: number;
  qualityDistribution: Record<string, number>;
  averageQuality: number;
  pruningCandidates: number;
  candidates?: { memoryId: string; score: number; parts: Record<string, number> }[];
}
interface Pruned {
  prunedCount: number;
  prunedIds: string[];
  dryRun: boolean;
}

describe.each(engines)('quality and pruning on %s', (engine) => {
  const app = useApp(engine);
  const http = useClient(app);
  const remember = async (content: string, more: object = {}) =>
    (await http.post<Made>('/api/memories', { content, ...more })).body.data.id;
  const report = async (query = '') =>
    (await http.get<{ data: Report }>(`/api/system/memory/quality${query}`)).body.data;
  const prune = async (body?: object) =>
    (await http.post<{ data: Pruned }>('/api/system/memory/prune', body)).body.data;
  const everything = { preserveRecent: false, minQualityThreshold: 1 };
  const old = '2020-01-01T00:00:00Z';

  it('quality of an empty store is counted, and nothing is pruned', async () => {
    expect(await report('?includeDetails=true&fresh=true')).toEqual({
      generatedAt: expect.any(String),
      totalMemories: 0,
      qualityDistribution: { high: 0, medium: 0, low: 0 },
      averageQuality: 0,
      pruningCandidates: 0,
      candidates: [],
    });
    expect(await prune()).toEqual({ prunedCount: 0, prunedIds: [], dryRun: false });
  });

  it('pruning takes exactly what its dry run names, the worst first, and the trash gives it back', async () => {
    const poor = await remember('ok');
    const fair = await remember('The harbour office opens at nine and closes at noon on Sundays in winter.');
    const shown = await report('?includeDetails=true&minQualityThreshold=1');
    expect(shown).toMatchObject({ totalMemories: 2, pruningCandidates: 0, candidates: [] });
    const dry = await prune({ ...everything, dryRun: true });
    expect(dry).toEqual({ prunedCount: 2, prunedIds: [poor, fair], dryRun: true });
    expect((await report()).totalMemories).toBe(2);
    const exported = (await http.post('/api/memories/export', {})).text;
    expect(await prune({ ...everything, targetReduction: 1 })).toEqual({
      prunedCount: 1,
      prunedIds: [poor],
      dryRun: false,
    });
    expect((await http.get(`/api/memories/${poor}`)).status).toBe(404);
    const [entry] = (await http.get<{ data: { id: string }[] }>('/api/trash')).body.data;
    expect((await http.post(`/api/trash/${entry.id}/restore`)).status).toBe(200);
    expect((await http.post('/api/memories/export', {})).text).toBe(exported);
  });

  it('pruning leaves named memories, ends of narratives and preserved days', async () => {
    const named = await remember('ok', { name: 'ok-then' });
    const root = await remember('ok');
    const resolution = await remember('ok');
    const { id } = (await http.post<Made>('/api/narratives', { title: 'Talk', rootMemoryId: root })).body
      .data;
    await http.patch(`/api/narratives/${id}`, { state: 'resolved', resolutionMemoryId: resolution });
    const loose = await remember('ok');
    expect((await prune({ minQualityThreshold: 1, dryRun: true })).prunedIds).toEqual([]);
    expect((await prune({ ...everything, dryRun: true })).prunedIds).toEqual([loose]);
    expect((await prune(everything)).prunedIds).toEqual([loose]);
    for (const kept of [named, root, resolution])
      expect((await http.get(`/api/memories/${kept}`)).status).toBe(200);
  });

  it('quality of a memory shows its parts, in which feedback and relationships count', async () => {
    const id = await remember('ok', { createdAt: old });
    const other = await remember('fine', { createdAt: old });
    const before = (await report('?includeDetails=true&minQualityThreshold=1')).candidates ?? [];
    const partsOf = (shown: Report['candidates']) => shown?.find(({ memoryId }) => memoryId === id)?.parts;
    expect(partsOf(before)).toMatchObject({ use: 0.5, connections: 0, confidence: 0.5, statePenalty: 0 });
    await http.post('/api/memories/search/feedback', { memoryId: id, action: 'selected' });
    await http.post(`/api/memories/${other}/relationships`, { targetMemoryId: id, type: 'SUPERSEDES' });
    const after = (await report('?includeDetails=true&minQualityThreshold=1')).candidates;
    expect(partsOf(after)?.use).toBeCloseTo(2 / 3);
    expect(partsOf(after)?.connections).toBeGreaterThan(0.3);
    expect(partsOf(after)?.statePenalty).toBe(0.3);
  });

  it('pruning with an Idempotency-Key is done once, and repeats its response', async () => {
    const id = await remember('ok');
    const headers = { 'Idempotency-Key': id };
    const once = await http.send('POST', '/api/system/memory/prune', { body: everything, headers });
    await remember('ok');
    const again = await http.send('POST', '/api/system/memory/prune', { body: everything, headers });
    expect([once.status, again.text]).toEqual([200, once.text]);
    expect((await report()).totalMemories).toBe(1);
  });

  it('quality and pruning concern the memories of the user alone', async () => {
    const id = await remember('ok');
    const other = await app.newClient();
    expect((await other.get<{ data: Report }>('/api/system/memory/quality')).body.data.totalMemories).toBe(0);
    expect(
      (await other.post<{ data: Pruned }>('/api/system/memory/prune', everything)).body.data.prunedIds,
    ).toEqual([]);
    expect((await http.get(`/api/memories/${id}`)).status).toBe(200);
  });

  it.each([
    [{ minQualityThreshold: 2 }, 'minQualityThreshold'],
    [{ targetReduction: -1 }, 'targetReduction'],
    [{ recentDaysToPreserve: -1 }, 'recentDaysToPreserve'],
    [{ dryRun: 'perhaps' }, 'dryRun'],
  ])('pruning refuses %j', async (body, field) => {
    const reply = await http.post<{ error: string }>('/api/system/memory/prune', body);
    expect([reply.status, reply.body.error]).toEqual([422, expect.stringContaining(field)]);
  });
});
