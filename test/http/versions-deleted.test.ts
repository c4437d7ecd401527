import { describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { runStatement } from '../support/run-statement.ts';
import { useApp } from '../support/use-app.ts';

type Version = { id: string; version: number; effectiveState: string; conversationId: string };
type Entry = { id: string; recordId: string };

describe.each(engines)('versions of a named memory, some of them deleted, on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;

  /** Versions 1 to 4, the third in a conversation of its own. */
  const start = async () => {
    http = await app.newClient();
    const made = [
      await http.post<{ data: Version }>('/api/memories', {
        content: 'on call this week: Ana',
        name: 'rota',
      }),
    ];
    for (const [who, conversationId] of [
      ['Ben', made[0].body.data.conversationId],
      ['Cleo', 'NEW'],
      ['Dan', made[0].body.data.conversationId],
    ])
      made.push(
        await http.put('/api/memories/named/rota', { content: `on call this week: ${who}`, conversationId }),
      );
    return made.map(({ body }) => body.data);
  };
  const states = async () => {
    const { body } = await http.get<{ versions: Version[] }>('/api/memories/named/rota/history');
    return body.versions.map(({ version, effectiveState }) => `${version} ${effectiveState}`);
  };
  const found = async () => {
    const { body } = await http.get<{ data: Version[] }>('/api/memories/search?q=on+call&context=false');
    return body.data.map(({ version }) => version);
  };
  const entryOf = async (recordId: string) => {
    const { body } = await http.get<{ data: Entry[] }>('/api/trash');
    return body.data.find((entry) => entry.recordId === recordId)?.id;
  };
  const restore = async (recordId: string) =>
    (await http.post(`/api/trash/${await entryOf(recordId)}/restore`)).status;
  const repair = async () =>
    (await http.post<{ repaired: number }>('/api/memories/repair-effective-state')).body.repaired;
  const whole = ['4 current', '3 superseded', '2 superseded', '1 superseded'];

  it('a version before the deleted one stays superseded, is not found, and restoring puts all back', async () => {
    const [, second, third] = await start();
    expect((await http.delete(`/api/memories/${second.id}`)).status).toBe(204);
    expect(await states()).toEqual(['4 current', '3 superseded', '1 superseded']);
    expect([await found(), await repair()]).toEqual([[4], 0]);
    const body = { ids: [third.id], confirmDeletion: true };
    expect((await http.delete('/api/memories/bulk', body)).status).toBe(200);
    expect(await states()).toEqual(['4 current', '1 superseded']);
    expect([await restore(third.id), await restore(second.id)]).toEqual([200, 200]);
    expect([await states(), await found(), await repair()]).toEqual([whole, [4], 0]);
  });

  it('a conversation deleted with the version in between brings no older one back', async () => {
    const [, , third] = await start();
    expect((await http.delete(`/api/conversations/${third.conversationId}`)).status).toBe(204);
    expect(await states()).toEqual(['4 current', '2 superseded', '1 superseded']);
    expect(await restore(third.conversationId)).toBe(200);
    expect([await states(), await found()]).toEqual([whole, [4]]);
  });

  it('after erasing the version in between, the older ones stay superseded, and the head still gives way', async () => {
    const [first, second, third, fourth] = await start();
    for (const { id } of [second, third]) {
      await http.delete(`/api/memories/${id}`);
      expect((await http.delete(`/api/trash/${await entryOf(id)}`)).status).toBe(204);
    }
    expect([await states(), await found(), await repair()]).toEqual([['4 current', '1 superseded'], [4], 0]);
    await http.delete(`/api/memories/${fourth.id}`);
    expect([await states(), await found(), await repair()]).toEqual([['1 current'], [1], 0]);
    const named = await http.get<{ data: Version }>('/api/memories/named/rota');
    expect(named.body.data.id).toBe(first.id);
    expect(await restore(fourth.id)).toBe(200);
    expect([await states(), await found()]).toEqual([['4 current', '1 superseded'], [4]]);
  });

  it('the edge that a new version makes by itself is not what keeps the old one from being current', async () => {
    const [first, second] = await start();
    const { body } = await http.get<{ data: { id: string }[] }>(`/api/memories/${first.id}/relationships`);
    expect((await http.delete(`/api/memories/${first.id}/relationships/${body.data[0].id}`)).status).toBe(
      204,
    );
    expect([await states(), await found(), await repair()]).toEqual([whole, [4], 0]);
    const backwards = { targetMemoryId: second.id, type: 'SUPERSEDES' };
    const reply = await http.post(`/api/memories/${first.id}/relationships`, backwards);
    expect([reply.status, reply.body.code]).toEqual([409, 'RELATIONSHIP_CYCLE']);
  });

  it('a head without a name gives way to the version before it all the same', async () => {
    const [first, second, third, fourth] = await start();
    await http.put(`/api/memories/${fourth.id}`, { name: '' });
    const body = { ids: [second.id, third.id, fourth.id], confirmDeletion: true };
    await http.delete('/api/memories/bulk', body);
    const state = async () =>
      (await http.get<{ data: Version }>(`/api/memories/${first.id}`)).body.data.effectiveState;
    expect(await state()).toBe('current');
    await restore(fourth.id);
    expect([await state(), await repair()]).toEqual(['superseded', 0]);
  });

  it('a repair finds an old version that was stored as current', async () => {
    const [first, second] = await start();
    await http.delete(`/api/memories/${second.id}`);
    await runStatement(
      { engine, url: app.databaseUrl },
      `UPDATE memory_versions SET effective_state = 'current' WHERE closed_at IS NULL AND EXISTS
       (SELECT 1 FROM memories WHERE memories.user_id = memory_versions.user_id
        AND memories.seq = memory_versions.memory_seq AND id = '${first.id}')`,
    );
    expect([await repair(), await states()]).toEqual([1, ['4 current', '3 superseded', '1 superseded']]);
  });
});
