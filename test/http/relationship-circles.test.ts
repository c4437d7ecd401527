import { beforeAll, describe, expect, it } from 'vitest';
import { createServices, openStorage } from '../../src/container.ts';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { testConfig } from '../support/test-config.ts';
import { useApp } from '../support/use-app.ts';

interface ApiResponse {
  code?: string;
  details?: { path?: string[] };
  data: { id: string };
}

describe.each(engines)('circles of SUPERSEDES on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;
  beforeAll(async () => {
    http = await app.newClient();
  });

  const write = async () =>
    (await http.post<ApiResponse>('/api/memories', { content: 'a note', conversationId: 'NEW' })).body.data
      .id;
  let texts = 0;
  const putNamed = (name: string, body: object) =>
    http.put<ApiResponse>(`/api/memories/named/${name}`, { content: `text ${++texts}`, ...body });
  const supersede = (from: string, to: string) =>
    http.post<ApiResponse>(`/api/memories/${from}/relationships`, { targetMemoryId: to, type: 'SUPERSEDES' });
  const stateOf = async (id: string) =>
    (await http.get<{ data: { effectiveState: string } }>(`/api/memories/${id}`)).body.data.effectiveState;

  it('circles of SUPERSEDES cannot be closed while a memory of theirs is in the trash, for it may come back', async () => {
    const [a, b, c] = [await write(), await write(), await write()];
    await supersede(a, b);
    await supersede(b, c);
    await http.delete(`/api/memories/${b}`);
    expect(await stateOf(c)).toBe('current');
    const refused = await supersede(c, a);
    expect([refused.status, refused.body.code, refused.body.details?.path]).toEqual([
      409,
      'RELATIONSHIP_CYCLE',
      [c, a, b, c],
    ]);
    const trash = await http.get<{ data: { id: string; recordId: string }[] }>('/api/trash');
    const entry = trash.body.data.find(({ recordId }) => recordId === b);
    expect((await http.post(`/api/trash/${entry?.id}/restore`)).status).toBe(200);
    expect(await Promise.all([a, b, c].map(stateOf))).toEqual(['current', 'superseded', 'superseded']);
  });

  it('circles of SUPERSEDES are refused through the versions of a named memory, and through what those also supersede', async () => {
    const [other, first] = [await write(), await write()];
    await http.put(`/api/memories/${first}`, { name: 'plan' });
    const second = (await putNamed('plan', { supersedes: other })).body.data.id;
    expect(await Promise.all([other, first, second].map(stateOf))).toEqual([
      'superseded',
      'superseded',
      'current',
    ]);
    const third = (await putNamed('plan', {})).body.data.id;
    for (const [from, path] of [
      [first, [first, third, second, first]],
      [other, [other, third, second, other]],
    ] as const) {
      const refused = await supersede(from, third);
      expect([refused.status, refused.body.code, refused.body.details?.path]).toEqual([
        409,
        'RELATIONSHIP_CYCLE',
        path,
      ]);
    }
    expect(await stateOf(third)).toBe('current');
    // A new version is superseded by none, so nothing that it may name closes a circle.
    for (const supersedes of [first, third, third]) {
      const response = await putNamed('plan', { supersedes });
      expect(response.status).toBe(201);
      expect(await stateOf(response.body.data.id)).toBe('current');
    }
  });

  it('a new version that is to supersede what is gone or foreign is not made', async () => {
    const [head, gone] = [await write(), await write()];
    await http.put(`/api/memories/${head}`, { name: 'kept' });
    await http.delete(`/api/memories/${gone}`);
    const foreigner = await app.newClient();
    const foreign = await foreigner.post<ApiResponse>('/api/memories', { content: 'theirs' });
    for (const supersedes of [gone, foreign.body.data.id, 'nobody']) {
      const answer = await putNamed('kept', { supersedes });
      expect([answer.status, answer.body.code]).toEqual([404, 'MEMORY_NOT_FOUND']);
    }
    expect((await http.get<ApiResponse>('/api/memories/named/kept')).body.data.id).toBe(head);
    expect(await stateOf(head)).toBe('current');
  });

  it('circles of SUPERSEDES stay open when all their edges are asked for at once', async () => {
    const ring = [await write(), await write(), await write(), await write(), await write()];
    const responses = await Promise.all(ring.map((id, i) => supersede(id, ring[(i + 1) % ring.length])));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 409]);
    const states = await Promise.all(ring.map(stateOf));
    expect(states.filter((state) => state === 'current')).toHaveLength(1);
  });

  it.runIf(engine === 'postgres')(
    'circles of SUPERSEDES stay open when two processes are asked for their edges at once',
    async () => {
      const config = testConfig({ MEMORYD_DATABASE_URL: app.databaseUrl });
      const second = await openStorage(config, { exclusive: false });
      const there = createServices(config, second);
      const user = (await app.services.keys.authenticate(http.key ?? ''))?.user;
      if (!user) throw new Error('the key is not known');
      const edge = { type: 'SUPERSEDES', confidence: 1, reason: null } as const;
      for (let round = 0; round < 10; round++) {
        const [a, b] = [await write(), await write()];
        const answers = await Promise.allSettled([
          app.services.relationships.create(user, a, { ...edge, targetMemoryId: b }),
          there.relationships.create(user, b, { ...edge, targetMemoryId: a }),
        ]);
        expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
        expect((await Promise.all([a, b].map(stateOf))).sort()).toEqual(['current', 'superseded']);
      }
      await there.close();
      await second.close();
    },
  );
});
