import { beforeEach, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

type Import = Record<string, unknown> & { id: string };
interface Result {
  status: number;
  id: string;
  code?: string;
  updated?: true;
  keptEdit?: true;
}

describe.each(engines)('imports of records that were imported before, on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;

  beforeEach(async () => {
    http = await app.newClient();
  });

  const begin = async () =>
    (await http.post<{ data: Import }>('/api/imports', { source: 'export.zip' })).body.data.id;
  const send = async (importId: string, memories: readonly object[]) =>
    (
      await http.post<{ data: Result[]; meta: object }>(`/api/memories/bulk?importId=${importId}`, {
        memories,
      })
    ).body;
  const record = (content: string, more: object = {}) => ({
    content,
    externalId: 'mem0:1',
    topics: ['cats'],
    createdAt: '2026-01-02T03:04:05Z',
    metadata: { source: 'mem0', deep: { a: 1, b: 2 } },
    ...more,
  });
  const importOf = async (id: string) =>
    (await http.get<{ data: Import[] }>('/api/imports')).body.data.find((one) => one.id === id);
  const shown = async (id: string) =>
    (await http.get<{ data: Record<string, unknown> }>(`/api/memories/${id}`)).body.data;
  const versions = async (id: string) =>
    (
      await http.get<{ data: { memory: { content: string } }[] }>(`/api/memories/${id}/versions`)
    ).body.data.map(({ memory }) => memory.content);

  it('what is as it was imported before is left alone, even where it was edited here since', async () => {
    const first = (await send(await begin(), [record('Two cats.')])).data[0];
    const again = await send(await begin(), [
      record('Two cats.', { metadata: { deep: { b: 2, a: 1 }, source: 'mem0' } }),
    ]);
    expect(again.data).toEqual([expect.objectContaining({ index: 0, status: 200, id: first?.id })]);
    expect(again.data[0]).not.toHaveProperty('updated');
    expect(again.meta).toEqual({ created: 0, existing: 1, updated: 0, refused: 0 });
    await http.put(`/api/memories/${first?.id}`, { content: 'Two grey cats.' });
    const third = await begin();
    expect((await send(third, [record('Two cats.')])).data[0]).not.toHaveProperty('keptEdit');
    expect(await shown(first?.id ?? '')).toMatchObject({ content: 'Two grey cats.' });
    expect(await importOf(third)).toMatchObject({ created: 0, unchanged: 1, updated: 0, keptEdits: 0 });
  });

  it('a record that has changed becomes a new version, and keeps its time of creation', async () => {
    const { id = '' } = (await send(await begin(), [record('Two cats.')])).data[0] ?? {};
    const second = await begin();
    const changed = record('Three cats.', { topics: ['cats', 'home'], validTo: '2099-05-01' });
    const sent = await send(second, [changed, changed]);
    expect(sent.data).toMatchObject([
      { status: 200, id, updated: true },
      { status: 200, id },
    ]);
    expect(sent.data[1]).not.toHaveProperty('updated');
    expect(sent.meta).toEqual({ created: 0, existing: 1, updated: 1, refused: 0 });
    expect(await importOf(second)).toMatchObject({ created: 0, unchanged: 1, updated: 1 });
    expect(await shown(id)).toMatchObject({
      content: 'Three cats.',
      createdAt: '2026-01-02T03:04:05.000Z',
      topics: ['cats', 'home'],
      validTo: '2099-05-01T23:59:59.999Z',
    });
    expect(await versions(id)).toEqual(['Three cats.', 'Two cats.']);
    const found = await http.get<{ data: { id: string }[] }>('/api/memories/search?q=three');
    expect(found.body.data.map((memory) => memory.id)).toEqual([id]);
    const third = await send(await begin(), [record('Four cats.')]);
    expect(third.data[0]).toMatchObject({ updated: true });
    expect(await shown(id)).toMatchObject({ content: 'Four cats.', topics: ['cats'] });
    expect(await shown(id)).not.toHaveProperty('validTo');
  });

  it('a record that has changed there and here stays as it is here, and one that was deleted stays deleted', async () => {
    const first = await send(await begin(), [record('Two cats.'), record('Gone.', { externalId: 'mem0:2' })]);
    const [{ id }, gone] = first.data as [Result, Result];
    await http.put(`/api/memories/${id}`, { topics: ['pets'] });
    await http.delete(`/api/memories/${gone.id}`);
    const second = await begin();
    const sent = await send(second, [record('Three cats.'), record('Back.', { externalId: 'mem0:2' })]);
    expect(sent.data).toMatchObject([
      { status: 200, id, keptEdit: true },
      { status: 409, code: 'MEMORY_IN_TRASH' },
    ]);
    expect(await shown(id)).toMatchObject({ content: 'Two cats.', topics: ['pets'] });
    expect(await importOf(second)).toMatchObject({ keptEdits: 1, inTrash: 1, updated: 0, refused: 0 });
    const without = await http.post<{ data: Result[] }>('/api/memories/bulk', {
      memories: [record('Five.')],
    });
    expect(without.body.data[0]).toEqual(expect.objectContaining({ status: 200, id }));
    expect(await shown(id)).toMatchObject({ content: 'Two cats.' });
  });

  it('topics that were merged here are no edit', async () => {
    const { id } = (await send(await begin(), [record('Two cats.')])).data[0] as Result;
    await http.post('/api/memories', { content: 'x', topics: ['pets'], conversationId: 'NEW' });
    const merged = await http.post('/api/topics/merge', { sourceTopicId: 'cats', targetTopicId: 'pets' });
    expect(merged.status).toBe(200);
    expect(await shown(id)).toMatchObject({ topics: ['pets'] });
    expect((await send(await begin(), [record('Two cats.')])).data[0]).not.toHaveProperty('updated');
    expect((await send(await begin(), [record('Three cats.')])).data[0]).toHaveProperty('updated', true);
    expect(await shown(id)).toMatchObject({ content: 'Three cats.', topics: ['pets'] });
  });

  it('an undo gives memories that the import changed the text from before, unless they were changed again', async () => {
    const of = (n: number) => ({ externalId: `mem0:${n}` });
    const before = (await send(
      await begin(),
      [1, 2, 3].map((n) => record(`Cats: ${n}.`, of(n))),
    )) as { data: Result[] };
    const ids = before.data.map(({ id }) => id);
    const second = await begin();
    await send(
      second,
      [1, 2, 3, 4].map((n) => record(`Cats: ${n * 10}.`, of(n))),
    );
    await http.put(`/api/memories/${ids[1]}`, { content: 'Cats: 21.' });
    const undo = async () => (await http.delete<{ data: object }>(`/api/imports/${second}`)).body.data;
    const contents = async () => (await Promise.all(ids.map(shown))).map(({ content }) => content);
    expect(await undo()).toMatchObject({ memories: 1, conversations: 0, versions: 2, keptEdits: 1 });
    expect(await contents()).toEqual(['Cats: 1.', 'Cats: 21.', 'Cats: 3.']);
    expect(await undo()).toMatchObject({ memories: 0, conversations: 0, versions: 0, keptEdits: 1 });
    expect(await versions(ids[0] ?? '')).toEqual(['Cats: 1.', 'Cats: 10.', 'Cats: 1.']);
    await http.put(`/api/memories/${ids[2]}`, { content: 'Cats: 31.' });
    const restored = await http.post<{ data: object }>(`/api/imports/${second}/restore`);
    expect(restored.body.data).toMatchObject({ memories: 1, versions: 1 });
    expect(await contents()).toEqual(['Cats: 10.', 'Cats: 21.', 'Cats: 31.']);
    expect(await undo()).toMatchObject({ memories: 1, conversations: 0, versions: 1, keptEdits: 2 });
    const third = await send(await begin(), [record('Cats: 10.', of(1))]);
    expect(third.data[0]).toMatchObject({ updated: true });
  });

  it('facts, artifacts and conversations of an import are counted, changed by later ones, undone and restored with it', async () => {
    type Ensured = { data: { id: string }; meta?: { updated?: boolean; keptEdit?: boolean } };
    const first = await begin();
    const [{ id: memoryId }] = (await send(first, [record('Ferry Tickets')])).data as [Result];
    const kinds = {
      conversation: (of: string, more: object = {}) =>
        http.post<Ensured>(`/api/conversations?importId=${of}`, {
          title: 'New chat',
          externalId: 'c',
          ...more,
        }),
      fact: (of: string, more: object = {}) =>
        http.post<Ensured>(`/api/facts?importId=${of}`, {
          subject: 'SW-12',
          predicate: 'PART_OF',
          object: 'Ferry',
          externalId: 'f',
          ...more,
        }),
      artifact: (of: string, more: object = {}) =>
        http.post<Ensured>(`/api/artifacts?importId=${of}`, {
          content: '- socks',
          type: 'list',
          externalId: 'a',
          ...more,
        }),
    };
    const changes = {
      conversation: { title: 'Packing' },
      fact: { validTo: '2026-03-01' },
      artifact: { content: '- ski wax' },
    };
    for (const create of Object.values(kinds)) expect((await create(first)).status).toBe(201);
    await kinds.fact(first, { externalId: 'of memory', memoryId });
    expect(await importOf(first)).toMatchObject({ created: 1, conversations: 1, facts: 2, artifacts: 1 });
    const second = await begin();
    for (const kind of ['conversation', 'fact', 'artifact'] as const) {
      expect((await kinds[kind](second)).body.meta).toEqual({ existing: true });
      const changed = await kinds[kind](second, changes[kind]);
      expect([changed.status, changed.body.meta]).toEqual([200, { existing: true, updated: true }]);
      expect(changed.body.data).toMatchObject(
        kind === 'fact' ? { effectiveState: 'expired', validTo: '2026-03-01T23:59:59.999Z' } : changes[kind],
      );
      expect((await kinds[kind](second, changes[kind])).body.meta).toEqual({ existing: true });
    }
    const listed = async (query = '') =>
      (await http.get<{ count: number }>(`/api/facts?externalId=f${query}`)).body.count;
    expect([await listed(), await listed('&includeSuperseded=true')]).toEqual([0, 1]);
    const { id } = (await kinds.artifact(second)).body.data;
    await http.patch(`/api/artifacts/${id}`, { content: '- mine' });
    const kept = await kinds.artifact(second, { content: '- head torch' });
    expect([kept.body.meta, kept.body.data]).toMatchObject([{ keptEdit: true }, { content: '- mine' }]);
    const undone = (await http.delete<{ data: object }>(`/api/imports/${first}`)).body.data;
    expect(undone).toEqual({
      memories: 1,
      conversations: 2,
      facts: 1,
      artifacts: 1,
      versions: 0,
      keptEdits: 0,
    });
    for (const [kind, create] of Object.entries(kinds))
      expect((await create(second)).body).toMatchObject({ code: `${kind.toUpperCase()}_IN_TRASH` });
    const restored = (await http.post<{ data: object }>(`/api/imports/${first}/restore`)).body.data;
    expect(restored).toEqual({ memories: 1, facts: 1, artifacts: 1, versions: 0 });
    for (const create of Object.values(kinds)) expect((await create(second)).status).toBe(200);
    expect(
      (await http.get<{ count: number }>(`/api/facts?memoryId=${memoryId}&externalId=of+memory`)).body.count,
    ).toBe(1);
  });

  it('a fact that an import took back comes again with one that says it, and one that was deleted here does not', async () => {
    const first = await begin();
    const state = (of: string) =>
      http.post<{ data: { id: string }; meta?: object }>(`/api/facts?importId=${of}`, {
        subject: 'Ana',
        predicate: 'likes',
        object: 'tea',
        externalId: 'said',
      });
    const { id } = (await state(first)).body.data;
    expect((await http.delete(`/api/facts/${id}?importId=${first}`)).status).toBe(204);
    expect((await http.get(`/api/facts/${id}`)).status).toBe(404);
    const back = await state(await begin());
    expect([back.status, back.body.data.id, back.body.meta]).toEqual([
      200,
      id,
      { existing: true, updated: true },
    ]);
    await http.delete(`/api/facts/${id}`);
    expect((await state(await begin())).body).toMatchObject({ code: 'FACT_IN_TRASH' });
    const unknown = await http.delete(`/api/facts/${id}?importId=0d4cbd0c-9a1a-4ec3-a7cc-9ed1ea5d3d0d`);
    expect(unknown.status).toBe(404);
  });

  it('a relationship that was deleted here is not brought back by an import, but by its user', async () => {
    const [first, second] = [await begin(), await begin()];
    const { data } = await send(first, [record('One end'), { ...record('Other end'), externalId: 'other' }]);
    const [source, target] = data as [Result, Result];
    const path = `/api/memories/${source.id}/relationships`;
    const body = { targetMemoryId: target.id, type: 'REFERENCES' };
    const made = await http.post<{ data: { id: string } }>(`${path}?importId=${first}`, body);
    expect(made.status).toBe(201);
    await http.delete(`${path}/${made.body.data.id}`);
    expect((await http.post(`${path}?importId=${second}`, body)).body).toMatchObject({
      code: 'RELATIONSHIP_DELETED',
    });
    expect((await http.post(path, body)).status).toBe(201);
    expect((await http.post(`${path}?importId=${second}`, body)).body).toMatchObject({
      code: 'RELATIONSHIP_EXISTS',
    });
  });
});
