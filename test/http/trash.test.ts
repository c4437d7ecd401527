import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { RelationshipType } from '../../src/domain/relationships/relationship.ts';
import { engines } from '../support/database.ts';
import { useApp, useClient } from '../support/use-app.ts';

type Data = Record<string, unknown> & { id: string; conversationId: string };
type One = { data: Data };
type Many = { data: Data[]; pagination: Record<string, number> };
type Entry = {
  id: string;
  kind: string;
  recordId: string;
  title: string;
  deletedAt: string;
  expiresAt: string;
  counts: Record<string, number>;
};
type Entries = { data: Entry[]; pagination: Record<string, number> };
type Restored = { data: { kind: string; recordId: string; restored: Record<string, number> } };

describe.each(engines)('the trash on %s', (engine) => {
  const app = useApp(engine);
  const http = useClient(app);

  const create = async (body: Record<string, unknown>): Promise<Data> => {
    const made = await http.post<One>('/api/memories', body);
    expect(made.status).toBe(201);
    return made.body.data;
  };
  const remove = async (path: string) => expect((await http.delete(path)).status).toBe(204);
  const entries = async (query = '') => (await http.get<Entries>(`/api/trash${query}`)).body.data;
  const entryOf = async (recordId: string): Promise<Entry> => {
    const found = (await entries('?limit=1000')).find((entry) => entry.recordId === recordId);
    if (!found) throw new Error(`nothing in the trash of ${recordId}`);
    return found;
  };
  const restore = async (recordId: string) =>
    http.post<Restored>(`/api/trash/${(await entryOf(recordId)).id}/restore`);
  const addVersion = async (name: string, content: string): Promise<Data> => {
    const made = await http.put<One>(`/api/memories/named/${name}`, { content });
    expect([made.status, made.text]).toEqual([expect.toSatisfy((status: number) => status < 300), made.text]);
    return made.body.data;
  };
  const headOf = async (name: string) => {
    const head = await http.get<One>(`/api/memories/named/${name}`);
    return head.status === 200 ? head.body.data.id : head.status;
  };

  /** Everything that a client sees of these records, but times taken. */
  async function look(paths: readonly string[]): Promise<string[]> {
    const texts: string[] = [];
    for (const path of paths) {
      const { status, text } = await http.get(path);
      texts.push(`${path} ${status} ${text.replaceAll(/"(searchTime|requestId)":("[^"]*"|[\d.]+)/g, '')}`);
    }
    return texts;
  }

  async function connect(source: string, targets: readonly [string, RelationshipType][]): Promise<void> {
    const { body } = await http.get<One>('/api/users/me');
    const user = (await app.services.users.list()).find(({ publicId }) => publicId === body.data.id);
    if (!user) throw new Error('no user');
    const stores = app.services.stores.forUser(user);
    await stores.transaction(async (tx) => {
      const { refreshStates } = await import('../../src/domain/relationships/relationship-service.ts');
      for (const [target, type] of targets) {
        await tx.relationships.insert({
          id: randomUUID(),
          sourceMemoryId: source,
          targetMemoryId: target,
          type,
          confidence: 0.9,
          creationMethod: 'manual',
          reason: null,
          createdAt: Date.now(),
        });
      }
      await refreshStates(
        { tx, at: Date.now(), indexer: stores.indexer },
        targets.map(([id]) => id),
      );
    });
  }

  it('the trash gives a memory back with 50 edges, 5 narratives and 20 topics, all responses as before', async () => {
    const types: RelationshipType[] = ['SUPERSEDES', 'CONTRADICTS', 'DUPLICATES', 'FOLLOWS', 'REFERENCES'];
    const topics = Array.from({ length: 20 }, (_, i) => `topic ${i}`);
    const memory = await create({ content: 'The ferry leaves at noon from the quay.', topics });
    const { conversationId } = memory;
    const others: string[] = [];
    for (let i = 0; i < 50; i++) {
      const { id } = await create({
        content: `Ferry note ${i}`,
        conversationId,
        topics: topics.slice(i % 20),
      });
      others.push(id);
    }
    await connect(
      memory.id,
      others.slice(0, 25).map((id, i) => [id, types[i % types.length]]),
    );
    for (const [i, id] of others.slice(25).entries()) await connect(id, [[memory.id, types[(i % 2) + 3]]]);
    const narratives: string[] = [];
    for (let i = 0; i < 5; i++) {
      // Once it is the root, then further and further back.
      const members = [...others.slice(0, i), memory.id, ...others.slice(i, 4)];
      const thread = await http.post<One>('/api/narratives', {
        title: `Ferries ${i}`,
        rootMemoryId: members[0],
      });
      const narrative = `/api/narratives/${thread.body.data.id}`;
      for (const memoryId of members.slice(1))
        expect((await http.post(`${narrative}/memories`, { memoryId })).status).toBeLessThan(300);
      narratives.push(narrative, `${narrative}/timeline`);
    }
    const paths = [
      `/api/memories/${memory.id}`,
      `/api/memories/${memory.id}/related?limit=100`,
      ...narratives,
      ...others.slice(0, 6).flatMap((id) => [`/api/memories/${id}`, `/api/memories/${id}/related`]),
      '/api/memories?limit=100',
      '/api/memories/stats',
      '/api/topics?limit=100',
      '/api/topics?sortBy=memoryCount',
      '/api/conversations',
      `/api/conversations/${conversationId}`,
      `/api/conversations/${conversationId}/timeline`,
      '/api/memories/search?q=ferry+quay&limit=100&includeFacets=true&explain=true',
      '/api/memories/search?q=ferry+note&limit=100&includeSuperseded=true&explain=true',
      '/api/memories/search?q=topic&limit=100',
      '/api/memories/search?q=fery+noon',
    ];
    const before = await look(paths);
    expect(before.filter((text) => !text.includes(' 200 '))).toEqual([]);
    await remove(`/api/memories/${memory.id}`);
    const between = await look(paths);
    expect(between.filter((text, i) => i !== 0 && text.includes(memory.id) && text !== before[i])).toEqual([
      expect.stringContaining(`/api/memories/${memory.id}/related`),
    ]);
    expect(between[0]).toContain('404');
    const back = await restore(memory.id);
    expect(back.body).toEqual({ data: { kind: 'memory', recordId: memory.id, restored: { memories: 1 } } });
    expect(await look(paths)).toEqual(before);
    expect(await entries()).toEqual([]);
  });

  it('the trash lists what was deleted, the last first, in pages', async () => {
    const first = await create({ content: 'Once upon a time', conversationId: 'NEW' });
    const second = await create({ content: `${'word '.repeat(60)}`, conversationId: 'NEW' });
    await create({ content: 'beside', conversationId: second.conversationId });
    await remove(`/api/memories/${first.id}`);
    await remove(`/api/conversations/${second.conversationId}`);
    const list = await http.get<Entries>('/api/trash');
    expect(list.body.pagination).toEqual({ limit: 20, offset: 0, count: 2 });
    expect(list.body.data).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        kind: 'conversation',
        recordId: second.conversationId,
        title: expect.stringMatching(/^word .*…$/),
        deletedAt: expect.any(String),
        expiresAt: expect.any(String),
        counts: { conversations: 1, memories: 2 },
      },
      expect.objectContaining({
        kind: 'memory',
        recordId: first.id,
        title: 'Once upon a time',
        counts: { memories: 1 },
      }),
    ]);
    const [{ deletedAt, expiresAt }] = list.body.data;
    expect(Date.parse(expiresAt) - Date.parse(deletedAt)).toBe(30 * 86_400_000);
    expect((await entries('?limit=1&offset=1')).map(({ kind }) => kind)).toEqual(['memory']);
    expect((await entries('?kind=memory')).map(({ recordId }) => recordId)).toEqual([first.id]);
    for (const wrong of ['?limit=0', '?offset=-1', '?kind=key', '?limit=x'])
      expect([wrong, (await http.get(`/api/trash${wrong}`)).status]).toEqual([wrong, 422]);
  });

  it('the trash returns to a head the name that an older version had in its absence', async () => {
    const first = await create({ content: 'plan one', name: 'plan' });
    const second = await addVersion('plan', 'plan two');
    const third = await addVersion('plan', 'plan three');
    const paths = [
      '/api/memories/named/plan',
      '/api/memories/named/plan/history',
      ...[first, second, third].map(({ id }) => `/api/memories/${id}`),
      '/api/memories/search?q=plan&includeSuperseded=true&explain=true',
    ];
    const before = await look(paths);
    await remove(`/api/memories/${third.id}`);
    expect(await headOf('plan')).toBe(second.id);
    expect((await restore(third.id)).status).toBe(200);
    expect(await look(paths)).toEqual(before);
  });

  it('the trash gives versions of a chain back in any order', async () => {
    const orders = [
      [0, 1],
      [1, 0],
    ];
    for (const [i, order] of [...orders, ...orders].entries()) {
      const name = `chain-${i}`;
      const first = await create({ content: 'one', name });
      const versions = [await addVersion(name, 'two'), await addVersion(name, 'three')];
      const paths = [
        `/api/memories/named/${name}/history`,
        ...versions.map(({ id }) => `/api/memories/${id}`),
      ];
      const before = await look(paths);
      // The head last, so that the second version is deleted without the name; or first, so that it has it.
      for (const { id } of i < 2 ? versions : versions.toReversed()) await remove(`/api/memories/${id}`);
      expect(await headOf(name)).toBe(first.id);
      for (const [step, at] of order.entries()) {
        expect((await restore(versions[at].id)).status).toBe(200);
        expect([i, step, await headOf(name)]).toEqual([i, step, versions[step === 1 ? 1 : at].id]);
      }
      expect(await look(paths)).toEqual(before);
    }
  });

  it('the trash refuses a name that is taken, and does not give a version number twice', async () => {
    await create({ content: 'one', name: 'taken' });
    const second = await addVersion('taken', 'two');
    await remove(`/api/memories/${second.id}`);
    const later = await http.put<One & { meta?: unknown }>('/api/memories/named/taken', { content: 'three' });
    expect(later.text).toMatch(/"version":3\b/);
    expect(await restore(second.id)).toMatchObject({ status: 409, body: { code: 'MEMORY_NAME_CONFLICT' } });
    expect(await headOf('taken')).toBe(later.body.data.id);
    await remove(`/api/memories/${later.body.data.id}`);
    expect((await restore(second.id)).status).toBe(200);
    expect(await headOf('taken')).toBe(second.id);

    const alone = await create({ content: 'alone', name: 'alone' });
    await remove(`/api/memories/${alone.id}`);
    const other = await create({ content: 'other', name: 'alone' });
    expect((await restore(alone.id)).status).toBe(409);
    expect((await http.get(`/api/memories/${alone.id}`)).status).toBe(404);
    await http.put(`/api/memories/${other.id}`, { name: '' });
    expect((await restore(alone.id)).status).toBe(200);
    expect(await headOf('alone')).toBe(alone.id);
  });

  it('the trash gives a conversation back with its memories, but for those deleted before', async () => {
    const kept = await create({ content: 'head elsewhere', name: 'across', conversationId: 'NEW' });
    const first = await create({ content: 'harbour one', conversationId: 'NEW', topics: ['harbour'] });
    const { conversationId } = first;
    const gone = await create({ content: 'harbour two', conversationId });
    const head = await http.put<One>('/api/memories/named/across', { content: 'head here', conversationId });
    expect(head.body.data.conversationId).toBe(conversationId);
    await remove(`/api/memories/${gone.id}`);
    const paths = [
      `/api/conversations/${conversationId}`,
      `/api/conversations/${conversationId}/timeline`,
      `/api/memories/${first.id}`,
      `/api/memories/${kept.id}`,
      '/api/memories/named/across',
      '/api/memories/search?q=harbour+head&includeSuperseded=true&explain=true',
      '/api/topics',
    ];
    const before = await look(paths);
    await remove(`/api/conversations/${conversationId}`);
    expect(await headOf('across')).toBe(kept.id);
    const back = await restore(conversationId);
    expect(back.body.data.restored).toEqual({ conversations: 1, memories: 2 });
    expect(await look(paths)).toEqual(before);
    expect((await restore(gone.id)).body.data.restored).toEqual({ memories: 1 });
    const { body } = await http.get<One>(`/api/conversations/${conversationId}`);
    expect(body.data.memoryCount).toBe(3);
  });

  it('the trash brings the conversation of a memory back that was deleted after it', async () => {
    const one = await create({ content: 'lighthouse one', conversationId: 'NEW' });
    const two = await create({ content: 'lighthouse two', conversationId: one.conversationId });
    const paths = [
      `/api/conversations/${one.conversationId}`,
      `/api/conversations/${one.conversationId}/timeline`,
    ];
    const before = await look(paths);
    await remove(`/api/memories/${two.id}`);
    await remove(`/api/conversations/${one.conversationId}`);
    expect((await restore(two.id)).body.data.restored).toEqual({ conversations: 1, memories: 2 });
    expect(await look(paths)).toEqual(before);
    expect(await entries()).toEqual([]);
  });

  it('the trash takes a bulk delete as one entry a memory', async () => {
    const made = [await create({ content: 'bulk a' }), await create({ content: 'bulk b' })];
    const ids = made.map(({ id }) => id);
    const body = { ids, confirmDeletion: true };
    expect((await http.delete<{ deleted: number }>('/api/memories/bulk', body)).body.deleted).toBe(2);
    expect(new Set((await entries()).map(({ recordId }) => recordId))).toEqual(new Set(ids));
    for (const id of ids) expect((await restore(id)).status).toBe(200);
  });

  it('the trash erases for good, stored responses too', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const { body } = await http.post<One>('/api/memories', { content: 'erase me entirely' }, key);
    const { id, conversationId } = body.data;
    await http.put(`/api/memories/${id}`, { content: 'erase me too' });
    await create({ content: 'stays', conversationId });
    const named = async () => (await http.get<One>(`/api/conversations/${conversationId}`)).body.data;
    expect((await named()).title).toBe('erase me too');
    await remove(`/api/memories/${id}`);
    const entry = await entryOf(id);
    await remove(`/api/trash/${entry.id}`);
    expect((await http.post(`/api/trash/${entry.id}/restore`)).status).toBe(404);
    expect((await http.delete(`/api/trash/${entry.id}`)).status).toBe(404);
    expect(await entries()).toEqual([]);
    expect((await http.get<Many>('/api/memories')).body.data.map(({ content }) => content)).toEqual([
      'stays',
    ]);
    expect(await named()).toMatchObject({ title: 'stays', memoryCount: 1 });
    const again = await http.post<One>('/api/memories', { content: 'erase me entirely' }, key);
    expect(again.headers.get('idempotency-replayed')).toBeNull();
    expect(again.body.data.id).not.toBe(id);
  });

  it('the trash erases a conversation with all that was ever in it', async () => {
    const first = await create({ content: 'all one', conversationId: 'NEW' });
    const { conversationId } = first;
    for (let i = 0; i < 70; i++) await create({ content: `all ${i}`, conversationId });
    await remove(`/api/memories/${first.id}`);
    await remove(`/api/conversations/${conversationId}`);
    await remove(`/api/trash/${(await entryOf(conversationId)).id}`);
    expect(await entries()).toEqual([]);
    const found = await http.get<Many>('/api/memories/search?q=all&includeSuperseded=true');
    expect(found.body.data).toEqual([]);
  });

  it('the trash gives facts and artifacts back, and erases them', async () => {
    const memory = await create({ content: 'says it all', conversationId: 'NEW' });
    const { conversationId } = memory;
    const fact = (
      await http.post<One>('/api/facts', {
        subject: 'Tea',
        predicate: 'is',
        object: 'hot',
        memoryId: memory.id,
      })
    ).body.data;
    const free = (await http.post<One>('/api/facts', { subject: 'Ice', predicate: 'is', object: 'cold' }))
      .body.data;
    const artifact = {
      content: '# Tea',
      type: 'document',
      name: 'About tea',
      memoryId: memory.id,
      conversationId,
    };
    const made = (await http.post<One>('/api/artifacts', artifact)).body.data;
    const facts = [fact, free].map(({ id }) => `/api/facts/${id}`);
    const paths = [
      ...facts,
      `/api/artifacts/${made.id}`,
      '/api/facts',
      '/api/artifacts',
      '/api/facts/search?q=tea',
    ];
    const before = await look(paths);
    for (const path of paths.slice(0, 3)) await remove(path);
    const titles = (await entries()).map(({ kind, title }) => `${kind} ${title}`);
    expect(titles).toEqual(['artifact About tea', 'fact Ice is cold', 'fact Tea is hot']);
    for (const { id } of [fact, free, made]) expect((await restore(id)).status).toBe(200);
    expect(await look(paths)).toEqual(before);
    await remove(facts[1]);
    await remove(`/api/trash/${(await entryOf(free.id)).id}`);
    expect((await http.get(facts[1])).status).toBe(404);
    // What only an erased memory said, or belonged to it, goes with it, from the trash as well.
    await remove(`/api/artifacts/${made.id}`);
    await remove(facts[0]);
    await remove(`/api/memories/${memory.id}`);
    await remove(`/api/trash/${(await entryOf(memory.id)).id}`);
    expect(await entries()).toEqual([]);
  });

  it('the trash gives a narrative back at its place, and erases it', async () => {
    const root = await create({ content: 'a root' });
    const threads: string[] = [];
    for (const title of ['first thread', 'second thread', 'third thread']) {
      const made = await http.post<One>('/api/narratives', { title, rootMemoryId: root.id, topics: ['sea'] });
      threads.push(made.body.data.id);
    }
    const [, id] = threads;
    await http.post(`/api/narratives/${id}/memories`, { memoryId: (await create({ content: 'next' })).id });
    await http.put(`/api/narratives/${threads[2]}`, { title: 'third thread, changed' });
    const paths = ['/api/narratives', `/api/narratives/${id}`, `/api/narratives/${id}/timeline`];
    const before = await look(paths);
    await remove(`/api/narratives/${id}`);
    expect(await look(paths)).not.toEqual(before);
    expect((await restore(id)).body.data).toEqual({
      kind: 'narrative',
      recordId: id,
      restored: { narratives: 1 },
    });
    expect(await look(paths)).toEqual(before);
    await remove(`/api/narratives/${id}`);
    await remove(`/api/trash/${(await entryOf(id)).id}`);
    expect((await http.get(`/api/narratives/${id}`)).status).toBe(404);
    expect((await http.get(`/api/memories/${root.id}`)).status).toBe(200);
  });

  it('the trash knows no entry of another user, nor one that never was', async () => {
    const { id } = await create({ content: 'mine' });
    await remove(`/api/memories/${id}`);
    const entry = await entryOf(id);
    const stranger = await app.newClient();
    expect((await stranger.get<Entries>('/api/trash')).body.data).toEqual([]);
    for (const wrong of [entry.id, randomUUID(), 'x', '%00', "' OR 1=1"]) {
      const path = `/api/trash/${encodeURIComponent(wrong)}`;
      for (const reply of [await stranger.delete(path), await stranger.post(`${path}/restore`)])
        expect([wrong, reply.status]).toEqual([
          wrong,
          expect.toSatisfy((s: number) => s === 404 || s === 422),
        ]);
    }
    const parsed = await app.newClient(['read']);
    expect((await parsed.delete(`/api/trash/${entry.id}`)).status).toBe(403);
    expect((await restore(id)).status).toBe(200);
    expect((await restore(id).catch(() => undefined))?.status).toBeUndefined();
  });
});
