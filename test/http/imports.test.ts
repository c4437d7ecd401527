import { beforeEach, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

type Import = Record<string, unknown> & { id: string };
type Result = { status: number; id: string; conversationId: string };

describe.each(engines)('imports on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;

  beforeEach(async () => {
    http = await app.newClient();
  });

  const begin = async (source = 'notes.jsonl') =>
    (await http.post<{ data: Import }>('/api/imports', { source, format: 'jsonl' })).body.data;
  const list = async () => (await http.get<{ data: Import[] }>('/api/imports')).body.data;
  const send = async (importId: string, memories: readonly object[], headers = {}) =>
    (await http.post<{ data: Result[] }>(`/api/memories/bulk?importId=${importId}`, { memories }, headers))
      .body.data;
  const countOf = async (path: string) =>
    (await http.get<{ pagination: { count: number } }>(`${path}?limit=1`)).body.pagination.count;
  const undo = (id: string) => http.delete<{ data: unknown }>(`/api/imports/${id}`);
  const restore = (id: string, headers = {}) =>
    http.post<{ data: unknown }>(`/api/imports/${id}/restore`, undefined, headers);

  it('imports count what their bulk creates did, once for each Idempotency-Key', async () => {
    const { id } = await begin();
    const [gone] = await send(id, [{ content: 'gone', externalId: 'g' }]);
    await http.delete(`/api/memories/${gone.id}`);
    const memories = [
      { content: 'one', externalId: 'a' },
      { content: 'one', externalId: 'a' },
      { content: '' },
      { content: 'gone', externalId: 'g' },
    ];
    await send(id, memories, { 'idempotency-key': 'once' });
    await send(id, memories, { 'idempotency-key': 'once' });
    const second = await begin('other');
    expect(await list()).toMatchObject([
      { id: second.id, source: 'other', created: 0 },
      { id, source: 'notes.jsonl', format: 'jsonl', created: 2, unchanged: 1, inTrash: 1, refused: 1 },
    ]);
  });

  it('imports are undone as a whole, with the conversations that only they filled, and restored', async () => {
    const kept = await http.post<{ data: Result }>('/api/memories', { content: 'kept', externalId: 'k' });
    const { id } = await begin();
    const made = await send(
      id,
      Array.from({ length: 70 }, (_, i) => ({ content: `note ${i}`, conversationId: 'NEW' })),
    );
    await send(id, [
      { content: 'kept', externalId: 'k' },
      { content: 'beside it', conversationId: kept.body.data.conversationId },
    ]);
    await http.delete(`/api/memories/${made[0].id}`);
    const [memories, conversations] = [await countOf('/api/memories'), await countOf('/api/conversations')];
    expect((await undo(id)).body.data).toEqual({
      memories: 70,
      conversations: 69,
      facts: 0,
      artifacts: 0,
      versions: 0,
      keptEdits: 0,
    });
    expect(await countOf('/api/memories')).toBe(1);
    expect((await list())[0]).toHaveProperty('undoneAt');
    expect((await undo(id)).body.data).toEqual({
      memories: 0,
      conversations: 0,
      facts: 0,
      artifacts: 0,
      versions: 0,
      keptEdits: 0,
    });
    const headers = { 'idempotency-key': 'back' };
    expect((await restore(id, headers)).body.data).toEqual({
      memories: 70,
      facts: 0,
      artifacts: 0,
      versions: 0,
    });
    expect((await restore(id, headers)).body.data).toEqual({
      memories: 70,
      facts: 0,
      artifacts: 0,
      versions: 0,
    });
    expect((await list())[0]).not.toHaveProperty('undoneAt');
    expect([await countOf('/api/memories'), await countOf('/api/conversations')]).toEqual([
      memories,
      conversations,
    ]);
    expect((await http.get(`/api/memories/${made[0].id}`)).status).toBe(404);
    expect((await http.get(`/api/memories/${made[1].id}`)).status).toBe(200);
    expect((await restore(id)).body.data).toEqual({ memories: 0, facts: 0, artifacts: 0, versions: 0 });
  });

  it('imports of another user are answered like unknown ones', async () => {
    const { id } = await begin();
    const other = await app.newClient();
    const unknown = '00000000-0000-4000-8000-000000000000';
    const body = { memories: [{ content: 'x' }] };
    for (const call of [
      (of: string) => other.delete(`/api/imports/${of}`),
      (of: string) => other.post(`/api/imports/${of}/restore`),
      (of: string) => other.post(`/api/memories/bulk?importId=${of}`, body),
    ]) {
      const [foreign, none] = [await call(id), await call(unknown)];
      expect(foreign.status).toBe(404);
      expect(foreign.body).toMatchObject({ code: 'IMPORT_NOT_FOUND' });
      const shown = ({ text }: { text: string }) => text.replace(/"requestId":"[^"]*"/, '');
      expect(shown(foreign)).toBe(shown(none));
    }
    expect((await other.get<{ data: Import[] }>('/api/imports')).body.data).toEqual([]);
    expect((await http.post('/api/imports', { source: ' ' })).status).toBe(422);
    const key = { 'idempotency-key': 'one' };
    const first = await http.post('/api/imports', { source: 's' }, key);
    expect((await http.post('/api/imports', { source: 's' }, key)).text).toBe(first.text);
  });
});
