import { beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

type Made = { data: { id: string } };

describe.each(engines)('If-Match on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;
  let memoryId = '';
  beforeAll(async () => {
    http = await app.newClient();
    memoryId = (await http.post<Made>('/api/memories', { content: 'x', conversationId: 'NEW' })).body.data.id;
  });

  const bodies: Record<string, () => object> = {
    facts: () => ({ subject: 'Dora', predicate: 'likes', object: 'tea' }),
    artifacts: () => ({ type: 'code', content: 'one' }),
    narratives: () => ({ title: 'one', rootMemoryId: memoryId }),
    memories: () => ({ content: 'one', conversationId: 'NEW' }),
  };
  const edits = [
    ['facts', 'PUT', { object: 'two' }, { object: 'three' }],
    ['artifacts', 'PATCH', { content: 'two' }, { content: 'three' }],
    ['narratives', 'PATCH', { title: 'two' }, { title: 'three' }],
    ['memories', 'PUT', { content: 'two' }, { content: 'three' }],
  ] as const;

  it.each(edits)(
    'an edit and a deletion of %s start from the state that was read, or answer 412',
    async (kind, method, two, three) => {
      const made = await http.post<Made>(`/api/${kind}`, bodies[kind]());
      const path = `/api/${kind}/${made.body.data.id}`;
      const first = made.headers.get('etag') ?? '';
      expect((await http.get(path)).headers.get('etag')).toBe(first);
      const edit = (body: object, tag: string) =>
        http.send<{ code: string }>(method, path, { body, headers: { 'if-match': tag } });
      const edited = await edit(two, first);
      const second = edited.headers.get('etag') ?? '';
      expect([edited.status, second === first]).toEqual([200, false]);
      expect((await http.get(path)).headers.get('etag')).toBe(second);
      for (const stale of [first, '"stale"', 'stale', '']) {
        const refused = await edit(three, stale);
        expect([stale, refused.status, refused.body.code]).toEqual([stale, 412, 'EDIT_CONFLICT']);
        expect([stale, (await http.delete(path, undefined, { 'if-match': stale })).status]).toEqual([
          stale,
          412,
        ]);
      }
      expect((await http.get<{ data: object }>(path)).body.data).toMatchObject(two);
      const third = (await edit(three, '*')).headers.get('etag');
      expect((await http.delete(path, undefined, { 'if-match': `"0", W/${third}` })).status).toBe(204);
    },
  );

  it('a conversation is deleted only as it was read: a memory written since keeps it', async () => {
    const made = await http.post<Made>('/api/conversations', { title: 'c' });
    const { id } = made.body.data;
    const path = `/api/conversations/${id}`;
    const read = { 'if-match': made.headers.get('etag') ?? '' };
    await http.post('/api/memories', { content: 'came since', conversationId: id });
    expect((await http.delete(path, undefined, read)).status).toBe(412);
    const now = { 'if-match': (await http.get(path)).headers.get('etag') ?? '' };
    expect((await http.delete(path, undefined, now)).status).toBe(204);
  });

  it('what has no ETag is not changed where one is asked for', async () => {
    const other = (await http.post<Made>('/api/memories', bodies.memories())).body.data.id;
    const edge = await http.post<Made>(`/api/memories/${other}/relationships`, {
      targetMemoryId: memoryId,
      type: 'FOLLOWS',
    });
    const path = `/api/memories/${other}/relationships/${edge.body.data.id}`;
    const bulk = { ids: [other], confirmDeletion: true };
    expect((await http.delete(path, undefined, { 'if-match': '"1"' })).status).toBe(412);
    expect((await http.delete('/api/memories/bulk', bulk, { 'if-match': '"1"' })).status).toBe(412);
    expect((await http.delete('/api/nothing', undefined, { 'if-match': '"1"' })).status).toBe(404);
    expect((await http.delete(path, undefined, { 'if-match': '*' })).status).toBe(204);
  });

  it('a topic has an ETag that changes with it', async () => {
    const tagged = (topic: string) => http.post('/api/memories', { content: 'x', topics: [topic] });
    await tagged('etags');
    const tag = async () => (await http.get('/api/topics/etags')).headers.get('etag');
    const before = await tag();
    expect(before).toMatch(/^".+"$/);
    await tagged('etags');
    expect(await tag()).not.toBe(before);
  });

  it('the document names it for every request that changes a record', async () => {
    type Operation = { parameters?: { name: string; in: string }[] };
    const { body } = await http.get<{ paths: Record<string, Record<string, Operation>> }>(
      '/api/openapi.json',
    );
    const lacking = Object.entries(body.paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([method]) => ['put', 'patch', 'delete'].includes(method))
        .filter(
          ([, { parameters }]) => !parameters?.some((one) => one.in === 'header' && one.name === 'if-match'),
        )
        .map(([method]) => `${method} ${path}`),
    );
    expect(lacking).toEqual([]);
  });
});
