import { beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import type { Client, Reply } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

type Data = Record<string, unknown> & { id: string; conversationId: string };
type Made = { data: Data; meta: Record<string, unknown> };

describe.each(engines)('writing a memory on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;

  beforeAll(async () => {
    http = await app.newClient();
  });

  const create = (body: unknown) => http.post<Made>('/api/memories', body);
  const count = async () =>
    (await http.get<{ pagination: { count: number } }>('/api/memories')).body.pagination.count;
  const rule = (reply: Reply<unknown>) => [reply.status, (reply.body as { error: string }).error];

  it('a memory is given back with every field, absent ones left out, times in UTC with milliseconds', async () => {
    const reply = await create({
      content: '  kept as it is\n',
      name: 'every-field',
      memoryType: 'procedural',
      role: 'assistant',
      context: 'kitchen',
      topics: ['Tea', 'tea ', 'Cups'],
      eventTime: '2024-03-31T12:00:00+02:00',
      validFrom: '2024-01-01',
      validTo: '2024-12-31',
      codeContext: { product: 'p', unknown: 'left out', extra: { lane: 'north' } },
      taskId: 'task',
      outcome: 'resolved',
      importance: 0.25,
      distill: true,
      unknown: { of: 'no consequence' },
    });
    expect(reply.status).toBe(201);
    const { id, conversationId, createdAt } = reply.body.data;
    expect(reply.body.data).toEqual({
      id,
      content: '  kept as it is\n',
      name: 'every-field',
      version: 1,
      memoryType: 'procedural',
      memoryTypeUserSet: true,
      role: 'assistant',
      context: 'kitchen',
      topics: ['Tea', 'Cups'],
      conversationId,
      timestamp: createdAt,
      createdAt,
      updatedAt: createdAt,
      eventTime: '2024-03-31T10:00:00.000Z',
      validFrom: '2024-01-01T00:00:00.000Z',
      validTo: '2024-12-31T23:59:59.999Z',
      effectiveState: 'current',
      createdBy: { keyId: expect.any(String), label: 'test', via: 'http', agent: 'node' },
      codeContext: { product: 'p', extra: { lane: 'north' } },
      taskId: 'task',
      outcome: 'resolved',
      importance: 0.25,
    });
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(conversationId).toMatch(/^conv_[0-9a-f-]{36}$/);
    expect(createdAt).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
    expect(reply.body.meta).toMatchObject({
      conversationId,
      conversationCreated: true,
      sessionCreated: true,
    });
    const read = await http.get<Made>(`/api/memories/${id}?detail=minimal`);
    expect(read.body.data).toEqual(reply.body.data);
    expect(read.headers.get('etag')).toBe(reply.headers.get('etag'));
  });

  it('a memory may have exactly 50,000 UTF-16 units', async () => {
    expect((await create({ content: '😀'.repeat(25_000) })).status).toBe(201);
    expect(rule(await create({ content: `${'😀'.repeat(25_000)}x` }))).toEqual([
      422,
      'content must have at most 50000 characters',
    ]);
  });

  it.each([
    [{}, 'content is required'],
    [{ content: '' }, 'content must not be empty'],
    [{ content: 5 }, 'content must be a text'],
    [{ content: 'a\0b' }, 'content must not contain the NUL character'],
    [{ content: 'a\ud800b' }, 'content must not contain half of a surrogate pair'],
    [{ content: 'x', name: 'A' }, /^name must be 2 to 64 lower-case/],
    [{ content: 'x', memoryType: 'odd' }, 'memoryType must be one of episodic, semantic, procedural'],
    [{ content: 'x', role: 'odd' }, /^role must be one of/],
    [{ content: 'x', context: 'x'.repeat(201) }, 'context must have at most 200 characters'],
    [{ content: 'x', topics: Array(51).fill('t') }, 'topics must have at most 50 items'],
    [{ content: 'x', topics: ['x'.repeat(101)] }, 'topics[0] must have at most 100 characters'],
    [{ content: 'x', eventTime: 'yesterday' }, /^eventTime must be an ISO 8601/],
    [{ content: 'x', validFrom: '2024-02-30' }, /^validFrom must be an ISO 8601/],
    [
      { content: 'x', validFrom: '2024-02-02', validTo: '2024-02-01' },
      'validTo must be later than validFrom',
    ],
    [{ content: 'x', codeContext: { repo: 'x'.repeat(201) } }, /^codeContext\.repo must have at most 200/],
    [{ content: 'x', outcome: 'odd' }, /^outcome must be one of/],
    [{ content: 'x', conversationId: '' }, 'conversationId must not be empty'],
    [[], 'the body must be an object'],
  ])('a memory with %j is refused', async (body, error) => {
    const before = await count();
    const [status, message] = rule(await create(body));
    expect(status).toBe(422);
    expect(message).toMatch(error);
    expect(await count()).toBe(before);
  });

  it('a create answers 400 for a body that is not JSON and 409 for a taken name', async () => {
    const broken = await http.send('POST', '/api/memories', { rawBody: '{"content": "x"' });
    expect([broken.status, broken.body.code]).toEqual([400, 'BODY_UNREADABLE']);
    await create({ content: 'first', name: 'taken' });
    const taken = await create({ content: 'second', name: 'taken' });
    expect([taken.status, (taken.body as unknown as { code: string }).code]).toEqual([
      409,
      'MEMORY_NAME_CONFLICT',
    ]);
  });

  it('a PUT changes what it names, removes what it empties, and keeps the rest', async () => {
    const { data } = (await create({ content: 'old', name: 'to-change', topics: ['a'], context: 'c' })).body;
    const same = await http.put<Made>(`/api/memories/${data.id}`, {});
    expect([same.status, same.body.data]).toEqual([200, data]);
    const changed = await http.put<Made>(`/api/memories/${data.id}`, {
      content: 'new',
      name: '',
      context: '',
      outcome: 'unresolved',
    });
    const { name: _, context: __, ...kept } = data;
    expect(changed.body.data).toEqual({
      ...kept,
      content: 'new',
      outcome: 'unresolved',
      updatedAt: changed.body.data.updatedAt,
    });
    const cleared = await http.put<Made>(`/api/memories/${data.id}`, { outcome: null, topics: [] });
    expect(cleared.body.data).toMatchObject({ content: 'new', topics: [] });
    expect(cleared.body.data).not.toHaveProperty('outcome');
    expect((await http.get('/api/memories/named/to-change')).status).toBe(404);
    expect(rule(await http.put(`/api/memories/${data.id}`, { name: 'Not Good' }))[0]).toBe(422);
    expect(rule(await http.put(`/api/memories/${data.id}`, { content: '' }))[0]).toBe(422);
    expect(rule(await http.put(`/api/memories/${data.id}`, { validFrom: '2030', validTo: '2020' }))[0]).toBe(
      422,
    );
  });

  it('an edit and a delete need the version that If-Match names', async () => {
    const made = await create({ content: 'one' });
    const path = `/api/memories/${made.body.data.id}`;
    const old = { 'if-match': made.headers.get('etag') ?? '' };
    const edited = await http.put<Made>(path, { content: 'two' }, old);
    expect(edited.status).toBe(200);
    const now = { 'if-match': edited.headers.get('etag') ?? '' };
    expect(now).not.toEqual(old);
    const stale = await http.put(path, { content: 'three' }, old);
    expect([stale.status, stale.body.code]).toEqual([412, 'EDIT_CONFLICT']);
    expect((await http.delete(path, undefined, old)).status).toBe(412);
    expect((await http.delete(path, undefined, { 'if-match': '"nonsense"' })).status).toBe(412);
    expect((await http.put(path, { content: 'three' }, { 'if-match': '*' })).status).toBe(200);
    const latest = (await http.get(path)).headers.get('etag') ?? '';
    expect((await http.delete(path, undefined, { 'if-match': `"0", W/${latest}` })).status).toBe(204);
    expect((await http.get(path)).status).toBe(404);
    expect((await http.delete(path)).status).toBe(404);
  });

  it('a memory shows more with each level of detail', async () => {
    const { data } = (await create({ content: 'one', name: 'detailed', topics: ['t'] })).body;
    const next = await http.put<Made>('/api/memories/named/detailed', { content: 'two' });
    const standard = await http.get<Made>(`/api/memories/${data.id}`);
    const relation = {
      id: expect.any(String),
      type: 'SUPERSEDES',
      direction: 'incoming',
      targetMemoryId: next.body.data.id,
      confidence: 1,
      creationMethod: 'auto-temporal',
      reason: 'Version 2.',
      createdAt: next.body.data.createdAt,
    };
    expect(standard.body.data).toMatchObject({
      effectiveState: 'superseded',
      userTopics: ['t'],
      extractedTopics: [],
      entities: [],
      facts: [],
      relationships: [relation],
    });
    const full = await http.get<Made>(`/api/memories/named/detailed?detail=full`);
    expect(full.body.data).toMatchObject({
      id: next.body.data.id,
      relationships: [{ direction: 'outgoing', targetMemoryId: data.id, targetPreview: 'one' }],
      conversationContext: { conversationId: data.conversationId, title: expect.any(String) },
    });
    expect((await http.get(`/api/memories/${data.id}?detail=odd`)).status).toBe(422);
  });

  it('a memory shows its place in its conversation', async () => {
    const { data } = (await create({ content: 'late', conversationId: 'NEW', eventTime: '2024-01-03' })).body;
    const { conversationId } = data;
    const ids = [];
    for (const eventTime of ['2024-01-02', '2024-01-01', '2024-01-02'])
      ids.push((await create({ content: 'x', conversationId, eventTime })).body.data.id);
    const places = [];
    for (const id of [data.id, ...ids]) {
      const full = await http.get<Made>(`/api/memories/${id}?detail=full`);
      places.push(full.body.data.conversationContext);
    }
    expect(places).toMatchObject([
      { position: 4, memoryCount: 4 },
      { position: 2 },
      { position: 1 },
      { position: 3 },
    ]);
  });
});
