import { beforeEach, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

type Thread = Record<string, unknown> & {
  id: string;
  title: string;
  topics: string[];
  moves: Record<string, unknown>[];
};
type One = { data: Thread };
type Many = { data: Thread[]; pagination: Record<string, number> };
type Timeline = {
  data: { memory: { id: string; content: string }; position: number; effectiveState?: string }[];
  narrative: Thread;
  pagination: Record<string, number>;
};
type Refusal = { code: string; error: string };

const nobody = '3f0e8f4e-0000-4000-8000-000000000000';

describe.each(engines)('narratives on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;

  beforeEach(async () => {
    http = await app.newClient();
  });

  const remember = async (content: string, topics: readonly string[] = []): Promise<string> => {
    const made = await http.post<One>('/api/memories', { content, topics, conversationId: 'NEW' });
    expect(made.status).toBe(201);
    return made.body.data.id;
  };
  const begin = async (rootMemoryId: string, extra: Record<string, unknown> = {}): Promise<string> => {
    const made = await http.post<One>('/api/narratives', { title: 'A thread', rootMemoryId, ...extra });
    expect(made.status).toBe(201);
    return made.body.data.id;
  };
  const add = (id: string, memoryId: string, position?: number) =>
    http.post<One>(`/api/narratives/${id}/memories`, { memoryId, position });
  const read = async (id: string) => (await http.get<One>(`/api/narratives/${id}`)).body.data;
  const patch = (id: string, body: unknown) => http.patch<One>(`/api/narratives/${id}`, body);
  const timeline = async (id: string, query = '') =>
    (await http.get<Timeline>(`/api/narratives/${id}/timeline${query}`)).body;
  const contentsOf = async (id: string) => (await timeline(id)).data.map(({ memory }) => memory.content);
  /** A thread of memories with these contents. */
  const threadOf = async (...contents: string[]) => {
    const ids: string[] = [];
    for (const content of contents) ids.push(await remember(content));
    const id = await begin(ids[0]);
    for (const memoryId of ids.slice(1)) expect((await add(id, memoryId)).status).toBe(200);
    return { id, ids };
  };

  it('narratives begin open with their root', async () => {
    const root = await remember('We chose the harbour.', ['Harbour', 'plans']);
    const made = await http.post<One>('/api/narratives', { title: 'The harbour', rootMemoryId: root });
    expect(made.status).toBe(201);
    const me = await http.get<{ data: { id: string } }>('/api/users/me');
    const { createdAt } = made.body.data;
    expect(made.body.data).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      userId: me.body.data.id,
      title: 'The harbour',
      state: 'open',
      rootMemoryId: root,
      currentMemoryId: root,
      topics: ['Harbour', 'plans'],
      memoryCount: 1,
      moves: [{ state: 'open', at: createdAt }],
      createdAt,
      updatedAt: createdAt,
    });
    expect(await read(made.body.data.id)).toEqual(made.body.data);
  });

  it('narratives take memories at their end, at a place, and move those they contain', async () => {
    const { id, ids } = await threadOf('b', 'd');
    const [a, c] = [await remember('a'), await remember('c')];
    expect((await add(id, a, 0)).body.data).toMatchObject({ rootMemoryId: a, memoryCount: 3 });
    expect((await add(id, c, 2)).body.data).toMatchObject({ currentMemoryId: ids[1], memoryCount: 4 });
    expect(await contentsOf(id)).toEqual(['a', 'b', 'c', 'd']);
    expect((await timeline(id)).data.map(({ position }) => position)).toEqual([0, 1, 2, 3]);
    expect((await add(id, a)).body.data).toMatchObject({ currentMemoryId: a, memoryCount: 4 });
    expect(await contentsOf(id)).toEqual(['b', 'c', 'd', 'a']);
    await add(id, a, 1);
    expect(await contentsOf(id)).toEqual(['b', 'a', 'c', 'd']);
    await add(id, ids[0], 3);
    expect(await contentsOf(id)).toEqual(['a', 'c', 'd', 'b']);
  });

  it('narratives refuse places beyond their end, and change nothing then', async () => {
    const { id, ids } = await threadOf('a', 'b');
    const c = await remember('c');
    const before = await read(id);
    for (const position of [-1, 3, 1e15, 0.5, '1', null, true]) {
      const refused = await http.post<Refusal>(`/api/narratives/${id}/memories`, { memoryId: c, position });
      expect([position, refused.status, refused.body.code]).toEqual([position, 422, 'INPUT_INVALID']);
      expect(refused.body.error).toMatch(/^position must be /);
    }
    expect((await add(id, ids[0], 2)).status).toBe(422);
    expect(await read(id)).toEqual(before);
    expect(await contentsOf(id)).toEqual(['a', 'b']);
  });

  it('narratives let memories be removed, which stay themselves', async () => {
    const { id, ids } = await threadOf('a', 'b', 'c');
    expect((await http.delete(`/api/narratives/${id}/memories/${ids[0]}`)).status).toBe(204);
    expect(await contentsOf(id)).toEqual(['b', 'c']);
    expect(await read(id)).toMatchObject({ rootMemoryId: ids[1], currentMemoryId: ids[2], memoryCount: 2 });
    expect((await http.get(`/api/memories/${ids[0]}`)).status).toBe(200);
    for (const gone of [ids[0], nobody, 'x']) {
      const again = await http.delete<Refusal>(`/api/narratives/${id}/memories/${gone}`);
      expect([again.status, again.body.code]).toEqual([404, 'NARRATIVE_MEMORY_NOT_FOUND']);
    }
    for (const left of [ids[1], ids[2]]) await http.delete(`/api/narratives/${id}/memories/${left}`);
    const empty = await read(id);
    expect(empty).toMatchObject({ rootMemoryId: ids[0], memoryCount: 0, topics: [] });
    expect(empty).not.toHaveProperty('currentMemoryId');
    expect((await add(id, ids[2], 0)).body.data).toMatchObject({ rootMemoryId: ids[2], memoryCount: 1 });
  });

  it('narratives do not show what is in the trash', async () => {
    const { id, ids } = await threadOf('a', 'b', 'c');
    await patch(id, { state: 'resolved', resolutionMemoryId: ids[2] });
    await http.delete(`/api/memories/${ids[0]}`);
    await http.delete(`/api/memories/${ids[2]}`);
    const shown = await read(id);
    expect(shown).toMatchObject({ rootMemoryId: ids[1], currentMemoryId: ids[1], memoryCount: 1 });
    expect(shown).not.toHaveProperty('resolutionMemoryId');
    const { data, pagination } = await timeline(id);
    expect(data.map(({ memory, position }) => [memory.content, position])).toEqual([['b', 0]]);
    expect(pagination.total).toBe(1);
    for (const gone of [ids[0], ids[2]]) {
      expect((await add(id, gone)).status).toBe(404);
      expect((await patch(id, { resolutionMemoryId: gone })).status).toBe(404);
      expect((await http.delete(`/api/narratives/${id}/memories/${gone}`)).status).toBe(404);
    }
  });

  it('narratives store the state that is sent and keep every move with its time', async () => {
    const { id, ids } = await threadOf('question', 'aside');
    const answer = await remember('answer');
    const resolved = await patch(id, { state: 'resolved', resolutionMemoryId: answer });
    expect(resolved.status).toBe(200);
    expect(resolved.body.data).toMatchObject({
      state: 'resolved',
      resolutionMemoryId: answer,
      currentMemoryId: answer,
      memoryCount: 3,
    });
    expect((await patch(id, { state: 'resolved', resolutionMemoryId: answer })).body.data.moves).toHaveLength(
      2,
    );
    const reopened = (await patch(id, { state: 'reopened' })).body.data;
    expect(reopened.state).toBe('reopened');
    expect(reopened).not.toHaveProperty('resolutionMemoryId');
    expect(await contentsOf(id)).toEqual(['question', 'aside', 'answer']);
    await patch(id, { state: 'resolved', resolutionMemoryId: ids[0] });
    expect((await patch(id, { state: 'superseded' })).body.data).toMatchObject({
      state: 'superseded',
      resolutionMemoryId: ids[0],
    });
    const { moves } = (await patch(id, { title: 'Renamed' })).body.data;
    expect(moves.map(({ state, resolutionMemoryId }) => [state, resolutionMemoryId])).toEqual([
      ['open', undefined],
      ['resolved', answer],
      ['reopened', undefined],
      ['resolved', ids[0]],
      ['superseded', ids[0]],
    ]);
    const times = moves.map(({ at }) => String(at));
    expect(times).toEqual(times.toSorted());
    expect((await patch(id, { resolutionMemoryId: null })).body.data).not.toHaveProperty(
      'resolutionMemoryId',
    );
  });

  it('narratives lose their resolution when that memory is removed from them', async () => {
    const { id, ids } = await threadOf('a', 'b');
    await patch(id, { state: 'resolved', resolutionMemoryId: ids[1] });
    await http.delete(`/api/narratives/${id}/memories/${ids[1]}`);
    const thread = await read(id);
    expect(thread.state).toBe('resolved');
    expect(thread).not.toHaveProperty('resolutionMemoryId');
    expect(thread.moves).toHaveLength(3);
  });

  it('narratives show the topics stated, or else those of their memories', async () => {
    const [a, b] = [await remember('a', ['zeta', 'Alpha']), await remember('b', ['beta', 'ALPHA'])];
    const id = await begin(a);
    await add(id, b);
    expect((await read(id)).topics).toEqual(['Alpha', 'zeta', 'beta']);
    await http.delete(`/api/memories/${a}`);
    expect((await read(id)).topics.map((name) => name.toLowerCase())).toEqual(['alpha', 'beta']);
    const stated = await patch(id, { topics: ['Z', 'y', ' z '] });
    expect(stated.body.data.topics).toEqual(['Z', 'y']);
    expect((await patch(id, { title: 'Other' })).body.data.topics).toEqual(['Z', 'y']);
    const back = await patch(id, { topics: [] });
    expect(back.body.data.topics).toHaveLength(2);
  });

  it('narratives are listed with the last changed first, in pages, by state and by topics', async () => {
    const [sea, sky] = [await remember('sea', ['Sea']), await remember('sky', ['sky'])];
    const first = await begin(sea, { title: 'first' });
    const second = await begin(sky, { title: 'second' });
    await begin(sea, { title: 'third', topics: ['Earth'] });
    const titles = async (query: string) =>
      (await http.get<Many>(`/api/narratives?${query}`)).body.data.map(({ title }) => title);
    expect(await titles('')).toEqual(['third', 'second', 'first']);
    await patch(first, { state: 'resolved' });
    expect(await titles('')).toEqual(['first', 'third', 'second']);
    await add(second, sea);
    expect(await titles('')).toEqual(['second', 'first', 'third']);
    expect(await titles('state=open')).toEqual(['second', 'third']);
    expect(await titles('state=resolved')).toEqual(['first']);
    expect(await titles('state=superseded')).toEqual([]);
    expect(await titles('topics=SEA')).toEqual(['second', 'first']);
    expect(await titles('topics=earth,%20sky')).toEqual(['second', 'third']);
    expect(await titles('topics=sea&state=open')).toEqual(['second']);
    expect(await titles('topics=nothing')).toEqual([]);
    await http.delete(`/api/memories/${sea}`);
    expect(await titles('topics=sea')).toEqual([]);
    const page = await http.get<Many>('/api/narratives?limit=1&offset=1');
    expect(page.body.data.map(({ title }) => title)).toEqual(['first']);
    expect(page.body.pagination).toMatchObject({ limit: 1, offset: 1, count: 3 });
    expect(page.body.data[0]).not.toHaveProperty('moves');
    expect(await titles('offset=9')).toEqual([]);
    for (const wrong of ['limit=0', 'offset=-1', 'state=closed'])
      expect([wrong, (await http.get(`/api/narratives?${wrong}`)).status]).toEqual([wrong, 422]);
  });

  it('narratives are read in pages with the state of each memory', async () => {
    const { id, ids } = await threadOf('a', 'b', 'c');
    const named = await http.post<One>('/api/memories', { content: 'old', name: 'plan' });
    await add(id, named.body.data.id);
    await http.put('/api/memories/named/plan', { content: 'new' });
    const page = await timeline(id, '?limit=2&offset=2');
    expect(page.pagination).toEqual({ limit: 2, offset: 2, total: 4 });
    expect(page.data).toEqual([
      { memory: expect.objectContaining({ id: ids[2] }), position: 2, effectiveState: 'current' },
      { memory: expect.objectContaining({ content: 'old' }), position: 3, effectiveState: 'superseded' },
    ]);
    expect(page.narrative).toEqual(await read(id));
    expect((await timeline(id, '?offset=4')).data).toEqual([]);
    expect((await timeline(id, '?limit=5000')).pagination.limit).toBe(1000);
    for (const wrong of ['limit=0', 'offset=-1', 'offset=x'])
      expect((await http.get(`/api/narratives/${id}/timeline?${wrong}`)).status).toBe(422);
  });

  it('narratives are deleted without their memories', async () => {
    const { id, ids } = await threadOf('a', 'b');
    const other = await begin(ids[0]);
    expect((await http.delete(`/api/narratives/${id}`)).status).toBe(204);
    for (const path of ['', '/timeline'])
      expect((await http.get(`/api/narratives/${id}${path}`)).status).toBe(404);
    expect((await http.delete(`/api/narratives/${id}`)).status).toBe(404);
    expect((await patch(id, { title: 'x' })).status).toBe(404);
    expect((await add(id, ids[0])).status).toBe(404);
    const listed = await http.get<Many>('/api/narratives');
    expect(listed.body.data.map((thread) => thread.id)).toEqual([other]);
    expect(listed.body.pagination.count).toBe(1);
    expect((await http.get(`/api/memories/${ids[1]}`)).status).toBe(200);
  });

  it('narratives come back from the trash as they were, and so do their memories', async () => {
    const { id, ids } = await threadOf('a', 'b', 'c');
    await patch(id, { state: 'resolved', resolutionMemoryId: ids[1], topics: ['kept'] });
    await begin(ids[0], { title: 'newer' });
    const before = await read(id);
    const restore = async (recordId: string) => {
      const { data } = (await http.get<{ data: { id: string; recordId: string }[] }>('/api/trash')).body;
      const entry = data.find((item) => item.recordId === recordId);
      return http.post<{ restored: object }>(`/api/trash/${entry?.id}/restore`);
    };
    await http.delete(`/api/narratives/${id}`);
    const trash = await http.get<{ data: object[] }>('/api/trash?kind=narrative');
    expect(trash.body.data).toEqual([
      expect.objectContaining({ kind: 'narrative', recordId: id, title: 'A thread' }),
    ]);
    await http.delete(`/api/memories/${ids[1]}`);
    expect((await restore(id)).status).toBe(200);
    expect(await contentsOf(id)).toEqual(['a', 'c']);
    expect((await restore(ids[1])).status).toBe(200);
    expect(await read(id)).toEqual(before);
    expect(await contentsOf(id)).toEqual(['a', 'b', 'c']);
    const listed = await http.get<Many>('/api/narratives');
    expect(listed.body.data.map(({ title }) => title)).toEqual(['newer', 'A thread']);
  });

  it('narratives are erased for good with their text, their memories not', async () => {
    const { id, ids } = await threadOf('a', 'b');
    await http.delete(`/api/narratives/${id}`);
    const { data } = (await http.get<{ data: { id: string }[] }>('/api/trash')).body;
    expect((await http.delete(`/api/trash/${data[0].id}`)).status).toBe(204);
    expect((await http.post(`/api/trash/${data[0].id}/restore`)).status).toBe(404);
    expect((await http.get(`/api/narratives/${id}`)).status).toBe(404);
    expect((await http.get(`/api/memories/${ids[0]}`)).status).toBe(200);
  });

  it('narratives know nothing of other users', async () => {
    const { id, ids } = await threadOf('mine');
    const owner = http;
    http = await app.newClient();
    const { id: mine } = await threadOf('theirs');
    const comparable = ({ status, body }: { status: number; body: object }) => [
      status,
      { ...body, requestId: '' },
    ];
    const calls = (thread: string, memory: string) => [
      () => http.get(`/api/narratives/${thread}`),
      () => http.get(`/api/narratives/${thread}/timeline`),
      () => http.patch(`/api/narratives/${thread}`, { title: 'x' }),
      () => http.delete(`/api/narratives/${thread}`),
      () => http.post(`/api/narratives/${thread}/memories`, { memoryId: memory }),
      () => http.delete(`/api/narratives/${thread}/memories/${memory}`),
      () => http.post(`/api/narratives/${mine}/memories`, { memoryId: memory }),
      () => http.delete(`/api/narratives/${mine}/memories/${memory}`),
      () => http.patch(`/api/narratives/${mine}`, { state: 'resolved', resolutionMemoryId: memory }),
      () => http.post('/api/narratives', { title: 'x', rootMemoryId: memory }),
    ];
    const unknown = calls(nobody, nobody);
    for (const [i, call] of calls(id, ids[0]).entries()) {
      const answer = await call();
      expect([i, answer.status]).toEqual([i, 404]);
      expect(comparable(answer)).toEqual(comparable(await unknown[i]()));
    }
    expect(await read(mine)).toMatchObject({ state: 'open', memoryCount: 1 });
    http = owner;
    expect(await contentsOf(id)).toEqual(['mine']);
  });

  it('narratives refuse bad bodies', async () => {
    const { id, ids } = await threadOf('a');
    const [rootMemoryId] = ids;
    for (const wrong of [
      {},
      { title: 'x' },
      { rootMemoryId },
      { title: '', rootMemoryId },
      { title: 'x'.repeat(501), rootMemoryId },
      { title: 'x', rootMemoryId: 5 },
      { title: 'x', rootMemoryId: '' },
      { title: 'x', rootMemoryId, topics: 'a' },
      { title: 'x', rootMemoryId, topics: ['y'.repeat(101)] },
    ])
      expect([wrong, (await http.post('/api/narratives', wrong)).status]).toEqual([wrong, 422]);
    for (const wrong of [{ title: '' }, { state: 'closed' }, { topics: [5] }, { resolutionMemoryId: '' }])
      expect([wrong, (await patch(id, wrong)).status]).toEqual([wrong, 422]);
    for (const wrong of [{}, { memoryId: 5 }, { memoryId: '' }])
      expect((await http.post(`/api/narratives/${id}/memories`, wrong)).status).toBe(422);
    expect((await read(id)).moves).toHaveLength(1);
  });

  it('narratives stay in order when many write at once', async () => {
    const { id, ids } = await threadOf('root');
    const contents = Array.from({ length: 24 }, (_, i) => `m${i}`);
    const memories = await Promise.all(contents.map((content) => remember(content)));
    const replies = await Promise.all(
      memories.map((memoryId, i) => add(id, memoryId, i % 3 === 0 ? undefined : 0)),
    );
    expect(replies.map(({ status }) => status)).toEqual(memories.map(() => 200));
    const removed = memories.filter((_, i) => i % 2 === 0);
    await Promise.all([
      ...removed.map((memoryId) => http.delete(`/api/narratives/${id}/memories/${memoryId}`)),
      ...memories.filter((_, i) => i % 2 === 1).map((memoryId) => add(id, memoryId, 1)),
    ]);
    const { data } = await timeline(id, '?limit=100');
    expect(data.map(({ position }) => position)).toEqual(data.map((_, i) => i));
    const left = [...ids, ...memories.filter((memory) => !removed.includes(memory))];
    expect(data.map(({ memory }) => memory.id).toSorted()).toEqual(left.toSorted());
  });
});
