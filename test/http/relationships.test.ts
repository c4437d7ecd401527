import { beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

interface Edge {
  id: string;
  sourceMemoryId: string;
  targetMemoryId: string;
  type: string;
  confidence: number;
  reason?: string;
}
interface Refusal {
  error: string;
  code: string;
  details: { path?: string[]; relationshipId?: string };
}

describe.each(engines)('relationships on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;
  beforeAll(async () => {
    http = await app.newClient();
  });

  const write = async (of = http) =>
    (await of.post<{ data: { id: string } }>('/api/memories', { content: 'a note', conversationId: 'NEW' }))
      .body.data.id;
  const stateOf = async (id: string) =>
    (await http.get<{ data: { effectiveState: string } }>(`/api/memories/${id}`)).body.data.effectiveState;
  const relate = (from: string, to: string, type: string, more: object = {}) =>
    http.post<{ data: Edge } & Refusal>(`/api/memories/${from}/relationships`, {
      targetMemoryId: to,
      type,
      ...more,
    });
  const list = async (id: string, direction?: string) =>
    (
      await http.get<{ data: Edge[]; sourceMemoryId: string; direction: string }>(
        `/api/memories/${id}/relationships${direction ? `?direction=${direction}` : ''}`,
      )
    ).body;

  it('relationships decide the state of what they point to: superseded before contradicted before duplicate', async () => {
    const [a, b, c, d, target] = [await write(), await write(), await write(), await write(), await write()];
    const duplicate = (await relate(a, target, 'DUPLICATES')).body.data;
    expect(await stateOf(target)).toBe('duplicate');
    const contradicts = (await relate(b, target, 'CONTRADICTS', { confidence: 0.4, reason: 'says so' })).body
      .data;
    expect(contradicts).toMatchObject({ confidence: 0.4, reason: 'says so', creationMethod: 'manual' });
    expect(await stateOf(target)).toBe('contradicted');
    const supersedes = (await relate(c, target, 'SUPERSEDES')).body.data;
    expect(supersedes.confidence).toBe(1);
    expect(await stateOf(target)).toBe('superseded');
    for (const type of ['FOLLOWS', 'RESOLVES', 'REFERENCES'])
      expect((await relate(d, target, type)).status).toBe(201);
    for (const [source, edge, state] of [
      [c, supersedes, 'contradicted'],
      [b, contradicts, 'duplicate'],
      [a, duplicate, 'current'],
    ] as const) {
      expect((await http.delete(`/api/memories/${source}/relationships/${edge.id}`)).status).toBe(204);
      expect(await stateOf(target)).toBe(state);
    }
    expect((await list(target)).data.map(({ type }) => type)).toEqual(['FOLLOWS', 'RESOLVES', 'REFERENCES']);
  });

  it('relationships are listed by direction, oldest first, and shown with the details of a memory', async () => {
    const [a, b, c] = [await write(), await write(), await write()];
    await relate(a, b, 'FOLLOWS');
    await relate(c, a, 'REFERENCES');
    const both = await list(a);
    expect(both).toMatchObject({ sourceMemoryId: a, direction: 'both' });
    expect(both.data.map(({ type }) => type)).toEqual(['FOLLOWS', 'REFERENCES']);
    expect((await list(a, 'outgoing')).data).toEqual([both.data[0]]);
    expect((await list(a, 'incoming')).data).toEqual([both.data[1]]);
    const detailed = await http.get<{ data: { relationships: object[] } }>(
      `/api/memories/${a}?detail=standard`,
    );
    expect(detailed.body.data.relationships).toMatchObject([
      { type: 'FOLLOWS', direction: 'outgoing', targetMemoryId: b },
      { type: 'REFERENCES', direction: 'incoming', targetMemoryId: c },
    ]);
    expect((await http.get(`/api/memories/${a}/relationships?direction=sideways`)).status).toBe(422);
  });

  it('relationships that contradict are counted with the details of the memory that does, more than are shown too', async () => {
    const [speaker, contradicted] = [await write(), await write()];
    const conflicts = async (id: string) => {
      const path = `/api/memories/${id}?detail=standard`;
      const { body } = await http.get<{ data: { conflictCount?: number; relationships: Edge[] } }>(path);
      return [body.data.conflictCount, body.data.relationships.length];
    };
    await relate(speaker, contradicted, 'FOLLOWS');
    expect(await conflicts(speaker)).toEqual([undefined, 1]);
    await relate(speaker, contradicted, 'CONTRADICTS');
    expect([await conflicts(speaker), await conflicts(contradicted)]).toEqual([
      [1, 2],
      [undefined, 2],
    ]);
    const others = await Promise.all(Array.from({ length: 101 }, () => write()));
    await Promise.all(others.map((id) => relate(speaker, id, 'CONTRADICTS')));
    expect(await conflicts(speaker)).toEqual([102, 100]);
    await http.delete(`/api/memories/${contradicted}`);
    expect(await conflicts(speaker)).toEqual([101, 100]);
  });

  it('relationships refuse themselves, what is there, and circles of SUPERSEDES, naming the circle', async () => {
    const [a, b, c] = [await write(), await write(), await write()];
    expect((await relate(a, a, 'FOLLOWS')).body).toMatchObject({ code: 'INPUT_INVALID' });
    const first = (await relate(a, b, 'SUPERSEDES')).body.data;
    const again = await relate(a, b, 'SUPERSEDES');
    expect([again.status, again.body.code, again.body.details]).toEqual([
      409,
      'RELATIONSHIP_EXISTS',
      { relationshipId: first.id },
    ]);
    expect((await relate(b, c, 'SUPERSEDES')).status).toBe(201);
    const circle = await relate(c, a, 'SUPERSEDES');
    expect([circle.status, circle.body.code, circle.body.details.path]).toEqual([
      409,
      'RELATIONSHIP_CYCLE',
      [c, a, b, c],
    ]);
    expect((await relate(c, a, 'CONTRADICTS')).status).toBe(201);
    await http.delete(`/api/memories/${a}/relationships/${first.id}`);
    expect((await relate(c, a, 'SUPERSEDES')).status).toBe(201);
    expect((await relate(a, b, 'SUPERSEDES')).status).toBe(409);
  });

  it('relationships refuse bad fields, and memories that are not there, are in the trash or another user has, alike', async () => {
    const [a, gone] = [await write(), await write()];
    await http.delete(`/api/memories/${gone}`);
    const foreign = await write(await app.newClient());
    const refusals = [];
    for (const id of ['nobody', gone, foreign]) {
      refusals.push(await relate(a, id, 'FOLLOWS'), await relate(id, a, 'FOLLOWS'));
      refusals.push(await http.get<Refusal>(`/api/memories/${id}/relationships`));
    }
    for (const { status, body } of refusals)
      expect([status, { ...body, requestId: '' }]).toEqual([
        404,
        { error: 'No such memory.', code: 'MEMORY_NOT_FOUND', requestId: '' },
      ]);
    for (const wrong of [{ type: 'LIKES' }, { confidence: 1.5 }, { confidence: -1 }, { targetMemoryId: 7 }]) {
      const body = { targetMemoryId: a, type: 'FOLLOWS', ...wrong };
      expect((await http.post(`/api/memories/${await write()}/relationships`, body)).status).toBe(422);
    }
    const b = await write();
    const edge = (await relate(a, b, 'FOLLOWS')).body.data;
    for (const path of [`${a}/relationships/nothing`, `${await write()}/relationships/${edge.id}`])
      expect((await http.delete(`/api/memories/${path}`)).status).toBe(404);
    expect((await list(a)).data).toHaveLength(1);
  });

  it('relationships go and come with the memories at their ends', async () => {
    const [a, b] = [await write(), await write()];
    await relate(a, b, 'SUPERSEDES');
    await http.delete(`/api/memories/${a}`);
    expect(await stateOf(b)).toBe('current');
    expect((await list(b)).data).toEqual([]);
  });

  it('relationships are one when many state the same at once', async () => {
    const [a, b] = [await write(), await write()];
    const responses = await Promise.all(Array.from({ length: 8 }, () => relate(a, b, 'SUPERSEDES')));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(409)]);
    const there = await Promise.all([relate(b, a, 'SUPERSEDES'), relate(b, a, 'SUPERSEDES')]);
    expect(there.map(({ status }) => status)).toEqual([409, 409]);
  });
});
