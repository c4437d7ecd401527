import { describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { useApp, useClient } from '../support/use-app.ts';

type Data = Record<string, unknown> & { id: string; content: string; conversationId: string };
type One = { data: Data };
type Many = { data: Data[]; count: number };
type Failure = { error: string; code: string };

const unknownId = '00000000-0000-4000-8000-000000000000';

describe.each(engines)('artifacts on %s', (engine) => {
  const app = useApp(engine);
  const http = useClient(app);

  const remember = async () =>
    (await http.post<One>('/api/memories', { content: 'x', conversationId: 'NEW' })).body.data;
  const keep = async (content: string, extra: object = {}) => {
    const made = await http.post<One>('/api/artifacts', { content, type: 'note', ...extra });
    expect([made.status, made.text]).toEqual([201, made.text]);
    return made.body.data;
  };
  const contents = async (query = '') =>
    (await http.get<Many>(`/api/artifacts?${query}`)).body.data.map(({ content }) => content);

  it('artifacts are kept with every field and read back unchanged', async () => {
    const { id: memoryId, conversationId } = await remember();
    const metadata = { deep: [{ a: null, b: [1.5, true] }], 'a key': '😀', empty: {} };
    const full = {
      content: '# Häfen\n\t- 😀',
      type: 'document',
      name: 'harbours',
      description: 'What we know',
      memoryId,
      conversationId,
      metadata,
    };
    const made = await http.post<One>('/api/artifacts', full);
    const { createdAt } = made.body.data;
    expect([made.status, made.body.data]).toEqual([
      201,
      {
        ...full,
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        userId: expect.any(String),
        size: full.content.length,
        createdAt,
        updatedAt: createdAt,
      },
    ]);
    expect((await http.get<One>(`/api/artifacts/${made.body.data.id}`)).body).toEqual(made.body);
    expect((await http.get<Many>('/api/artifacts')).body).toEqual({ data: [made.body.data], count: 1 });
  });

  it('artifacts leave out what was not stated', async () => {
    const made = await keep('a');
    expect(Object.keys(made).sort()).toEqual([
      'content',
      'createdAt',
      'id',
      'size',
      'type',
      'updatedAt',
      'userId',
    ]);
    expect(await keep('b', { name: '', description: null })).not.toHaveProperty('name');
  });

  it('artifacts take what other clients call data and contextId', async () => {
    const { conversationId } = await remember();
    const post = async (body: object) =>
      (await http.post<One>('/api/artifacts', { type: 'code', ...body })).body.data;
    expect(await post({ data: 'plain', contextId: conversationId })).toMatchObject({
      content: 'plain',
      conversationId,
    });
    expect((await post({ data: { a: [1] } })).content).toBe('{"a":[1]}');
    expect((await post({ data: 5 })).content).toBe('5');
    const { id, content } = await post({ content: 'mine', data: 'theirs' });
    expect(content).toBe('mine');
    const patch = async (body: object) => (await http.patch<One>(`/api/artifacts/${id}`, body)).body.data;
    expect((await patch({ data: { v: 2 } })).content).toBe('{"v":2}');
    expect((await patch({ data: 'plain again' })).content).toBe('plain again');
    expect((await patch({ content: 'mine', data: 'theirs' })).content).toBe('mine');
    expect((await patch({ name: 'n' })).content).toBe('mine');
    expect((await http.patch(`/api/artifacts/${id}`, { data: '' })).status).toBe(422);
    const other = await remember();
    const both = await post({
      content: 'x',
      conversationId: other.conversationId,
      contextId: conversationId,
    });
    expect(both.conversationId).toBe(other.conversationId);
    const refused = await http.post<Failure>('/api/artifacts', { type: 'code', data: 'x', contextId: 'no' });
    expect([refused.status, refused.body.code]).toEqual([404, 'CONVERSATION_NOT_FOUND']);
  });

  it('artifacts are listed newest first, by memory, conversation and type, in pages', async () => {
    const { id: memoryId, conversationId } = await remember();
    await keep('one', { memoryId });
    await keep('two', { conversationId, type: 'code' });
    await keep('three', { memoryId, type: 'code' });
    expect(await contents()).toEqual(['three', 'two', 'one']);
    expect(await contents(`memoryId=${memoryId}`)).toEqual(['three', 'one']);
    expect(await contents(`conversationId=${conversationId}`)).toEqual(['two']);
    expect(await contents('type=code')).toEqual(['three', 'two']);
    expect(await contents(`type=code&memoryId=${memoryId}`)).toEqual(['three']);
    expect(await contents('type=CODE')).toEqual([]);
    expect(await contents(`memoryId=${unknownId}`)).toEqual([]);
    expect(await contents('limit=1&offset=1')).toEqual(['two']);
    expect((await http.get<Many>('/api/artifacts?type=code&limit=1')).body.count).toBe(2);
  });

  it('artifacts are changed where the body says so', async () => {
    const made = await keep('one', { name: 'n', description: 'd', metadata: { a: 1, b: 2 } });
    const path = `/api/artifacts/${made.id}`;
    const changed = await http.patch<One>(path, { content: 'three', type: 'code', metadata: { c: 3 } });
    expect(changed.status).toBe(200);
    expect(changed.body.data).toEqual({
      ...made,
      content: 'three',
      size: 5,
      type: 'code',
      metadata: { c: 3 },
      updatedAt: changed.body.data.updatedAt,
    });
    for (const nothing of [{}, { content: 'three' }, { metadata: { c: 3 } }, { memoryId: 'ignored' }])
      expect((await http.patch<One>(path, nothing)).body.data).toEqual(changed.body.data);
    const bare = await http.patch<One>(path, { name: '', description: null });
    expect(bare.body.data).not.toHaveProperty('name');
    expect(bare.body.data).not.toHaveProperty('description');
    expect((await http.get<One>(path)).body).toEqual(bare.body);
  });

  it('artifacts are gone once deleted', async () => {
    const { id } = await keep('one');
    const gone = await http.delete(`/api/artifacts/${id}`);
    expect([gone.status, gone.text]).toEqual([204, '']);
    for (const reply of [
      await http.delete<Failure>(`/api/artifacts/${id}`),
      await http.get<Failure>(`/api/artifacts/${id}`),
      await http.patch<Failure>(`/api/artifacts/${id}`, { content: 'x' }),
    ])
      expect([reply.status, reply.body.code]).toEqual([404, 'ARTIFACT_NOT_FOUND']);
    expect((await http.get<Many>('/api/artifacts')).body).toEqual({ data: [], count: 0 });
  });

  it('artifacts are seen while what they belong to is not in the trash', async () => {
    const [first, second] = [await remember(), await remember()];
    const { id } = await keep('of memory', { memoryId: first.id });
    await keep('of conversation', { conversationId: second.conversationId });
    await keep('free');
    await http.delete(`/api/memories/${first.id}`);
    expect(await contents()).toEqual(['free', 'of conversation']);
    expect((await http.get(`/api/artifacts/${id}`)).status).toBe(404);
    await http.delete(`/api/conversations/${second.conversationId}`);
    expect((await http.get<Many>('/api/artifacts')).body).toMatchObject({
      data: [{ content: 'free' }],
      count: 1,
    });
  });

  it('artifacts belong to one user alone', async () => {
    const { id } = await keep('one');
    const { id: memoryId, conversationId } = await remember();
    const other = await app.newClient();
    for (const path of [id, unknownId, 'x'].map((part) => `/api/artifacts/${part}`)) {
      for (const { status, body } of [
        await other.get<Failure>(path),
        await other.patch<Failure>(path, { content: 'x' }),
        await other.delete<Failure>(path),
      ])
        expect([status, body.code, body.error]).toEqual([404, 'ARTIFACT_NOT_FOUND', 'No such artifact.']);
    }
    const refused: [object, string][] = [
      [{ memoryId }, 'MEMORY_NOT_FOUND'],
      [{ memoryId: unknownId }, 'MEMORY_NOT_FOUND'],
      [{ conversationId }, 'CONVERSATION_NOT_FOUND'],
      [{ conversationId: 'NEW' }, 'CONVERSATION_NOT_FOUND'],
    ];
    for (const [extra, code] of refused) {
      const reply = await other.post<Failure>('/api/artifacts', { content: 'x', type: 'note', ...extra });
      expect([reply.status, reply.body.code]).toEqual([404, code]);
    }
    expect((await other.get<Many>('/api/artifacts')).body.count).toBe(0);
  });

  it('artifacts refuse bad input', async () => {
    const { id } = await keep('one');
    const big = { text: 'x'.repeat(50_000) };
    const wrong = [
      { content: '' },
      { content: 5 },
      { content: null },
      { content: 'x'.repeat(200_001) },
      { type: '' },
      { type: ' ' },
      { type: 'x'.repeat(101) },
      { name: 'x'.repeat(201) },
      { name: 5 },
      { description: 'x'.repeat(2001) },
      { metadata: [] },
      { metadata: 'x' },
      { metadata: null },
      { metadata: big },
    ];
    for (const fields of wrong) {
      const label = JSON.stringify(fields).slice(0, 40);
      const made = await http.post<Failure>('/api/artifacts', { content: 'c', type: 't', ...fields });
      const changed = await http.patch<Failure>(`/api/artifacts/${id}`, fields);
      expect([label, made.status, changed.status]).toEqual([label, 422, 422]);
      expect(made.body.error).toContain(Object.keys(fields)[0]);
    }
    for (const body of [{}, { type: 't' }, { content: 'c' }, { type: 't', data: '' }]) {
      const label = JSON.stringify(body);
      expect([label, (await http.post('/api/artifacts', body)).status]).toEqual([label, 422]);
    }
    for (const query of ['limit=0', 'offset=x'])
      expect([query, (await http.get(`/api/artifacts?${query}`)).status]).toEqual([query, 422]);
    const longest = { content: 'x'.repeat(200_000), type: 'y'.repeat(100), description: 'z'.repeat(2000) };
    expect((await http.post('/api/artifacts', longest)).status).toBe(201);
  });
});
