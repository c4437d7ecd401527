import { describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { runStatement } from '../support/run-statement.ts';
import { useApp } from '../support/use-app.ts';

interface Repaired {
  repaired: number;
  memories: { memoryId: string; previousState: string }[];
}
type Made = { data: { id: string } };

describe.each(engines)('repair of effective states on %s', (engine) => {
  const app = useApp(engine);

  const write = async (http: Client, content = 'a note') =>
    (await http.post<Made>('/api/memories', { content, conversationId: 'NEW' })).body.data.id;
  const relate = (http: Client, from: string, targetMemoryId: string, type: string) =>
    http.post<Made>(`/api/memories/${from}/relationships`, { targetMemoryId, type });
  const repair = (http: Client) => http.post<Repaired>('/api/memories/repair-effective-state');
  const stateOf = async (http: Client, id: string) =>
    (await http.get<{ data: { effectiveState: string } }>(`/api/memories/${id}`)).body.data.effectiveState;
  const breakStates = (ids: readonly string[], state: string) =>
    runStatement(
      { engine, url: app.databaseUrl },
      `UPDATE memory_versions SET effective_state = '${state}' WHERE closed_at IS NULL AND memory_seq IN
       (SELECT seq FROM memories WHERE memories.user_id = memory_versions.user_id
        AND id IN (${ids.map((id) => `'${id}'`).join()}))`,
    );

  it('a repair corrects every kind of wrong state and names it, and nothing that is right', async () => {
    const http = await app.newClient();
    expect((await repair(http)).body).toEqual({ repaired: 0, memories: [] });
    const make = () => write(http);
    const [source, superseded, contradicted, followed, orphan, gone] = [
      await make(),
      await make(),
      await make(),
      await make(),
      await write(http, 'the orphan of a lost edge'),
      await make(),
    ];
    await relate(http, source, superseded, 'SUPERSEDES');
    await relate(http, source, contradicted, 'CONTRADICTS');
    await relate(http, source, followed, 'FOLLOWS');
    await http.delete(`/api/memories/${gone}`);
    await breakStates([superseded], 'current');
    await breakStates([contradicted, followed], 'duplicate');
    await breakStates([orphan, gone], 'superseded');

    const { status, body } = await repair(http);
    expect([status, body.repaired]).toEqual([200, 4]);
    expect(new Map(body.memories.map(({ memoryId, previousState }) => [memoryId, previousState]))).toEqual(
      new Map([
        [superseded, 'current'],
        [contradicted, 'duplicate'],
        [followed, 'duplicate'],
        [orphan, 'superseded'],
      ]),
    );
    const ids = [source, superseded, contradicted, followed, orphan];
    expect(await Promise.all(ids.map((id) => stateOf(http, id)))).toEqual([
      'current',
      'superseded',
      'contradicted',
      'current',
      'current',
    ]);
    const found = await http.get<{ data: { id: string }[] }>('/api/memories/search?context=false&q=orphan');
    expect(found.body.data.map(({ id }) => id)).toEqual([orphan]);
    expect((await repair(http)).body).toEqual({ repaired: 0, memories: [] });
  });

  it("a repair leaves other users' memories alone", async () => {
    const [http, other] = [await app.newClient(), await app.newClient()];
    const [mine, theirs] = [await write(http), await write(other)];
    await breakStates([mine, theirs], 'contradicted');
    expect((await repair(http)).body).toEqual({
      repaired: 1,
      memories: [{ memoryId: mine, previousState: 'contradicted' }],
    });
    expect(await stateOf(other, theirs)).toBe('contradicted');
  });
});
