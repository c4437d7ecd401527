import { beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

interface ApiResponse {
  data: { id: string; content: string; externalId?: string; createdAt: string; updatedAt: string };
  meta: { existing?: boolean; ignored?: string[]; conversationId: string; conversationCreated: boolean };
  error: string;
  code: string;
  details: object;
}

describe.each(engines)('external ids and times of creation on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;
  beforeAll(async () => {
    http = await app.newClient();
  });

  const create = (body: object, headers?: Record<string, string>) =>
    http.post<ApiResponse>('/api/memories', { conversationId: 'NEW', ...body }, headers);
  const contents = async (query: string, by = http) =>
    (await by.get<{ data: { content: string }[] }>(`/api/memories?${query}`)).body.data.map(
      ({ content }) => content,
    );

  it('a second create with an external id writes nothing and answers the first memory', async () => {
    const first = await create({ content: 'first', externalId: 'jira/1', name: 'jira-one' });
    expect([first.status, first.body.data.externalId, first.body.meta.existing]).toEqual([
      201,
      'jira/1',
      undefined,
    ]);
    const second = await create({ content: 'second', externalId: 'jira/1', name: 'jira-one' });
    expect([second.status, second.body.data]).toEqual([200, first.body.data]);
    expect(second.headers.get('etag')).toBe(first.headers.get('etag'));
    expect(second.body.meta).toMatchObject({
      existing: true,
      conversationCreated: false,
      conversationId: first.body.meta.conversationId,
    });
    expect(await contents('externalId=jira/1')).toEqual(['first']);
    expect(await contents('externalId=jira/2')).toEqual([]);
    expect(await contents('')).toEqual(['first']);
  });

  it('a single memory is written by many creates at the same time with one external id', async () => {
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, i) => create({ content: `racer ${i}`, externalId: 'race' })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
    expect(new Set(replies.map(({ body }) => body.data.id)).size).toBe(1);
  });

  it("an external id stays with its memory through changes, and may be that of another user's memory", async () => {
    const { body } = await create({ content: 'changing', externalId: 'keep' });
    await http.put(`/api/memories/${body.data.id}`, { content: 'changed' });
    expect(await contents('externalId=keep')).toEqual(['changed']);
    const other = await app.newClient();
    expect(await contents('externalId=keep', other)).toEqual([]);
    const theirs = await other.post<ApiResponse>('/api/memories', { content: 'theirs', externalId: 'keep' });
    expect(theirs.status).toBe(201);
  });

  it('an external id is kept in the trash, where a create is refused, and free once the memory is erased', async () => {
    const { body } = await create({ content: 'thrown away', externalId: 'gone' });
    await http.delete(`/api/memories/${body.data.id}`);
    expect(await contents('externalId=gone')).toEqual([]);
    const refused = await create({ content: 'again', externalId: 'gone' });
    expect([refused.status, refused.body.code, refused.body.details]).toEqual([
      409,
      'MEMORY_IN_TRASH',
      { memoryId: body.data.id },
    ]);
    const trash = await http.get<{ data: { id: string }[] }>('/api/trash');
    await http.delete(`/api/trash/${trash.body.data[0].id}`);
    expect((await create({ content: 'again', externalId: 'gone' })).status).toBe(201);
  });

  it('a repeat with an Idempotency-Key gets the response that it got, 200 or 201', async () => {
    const headers = (key: string) => ({ 'Idempotency-Key': `${engine}-${key}` });
    const made = await create({ content: 'keyed', externalId: 'keyed', stray: 1 }, headers('a'));
    const known = await create({ content: 'keyed', externalId: 'keyed', stray: 1 }, headers('b'));
    for (const [key, first] of [['a', made] as const, ['b', known] as const]) {
      const repeat = await create({ content: 'keyed', externalId: 'keyed', stray: 1 }, headers(key));
      expect([repeat.status, repeat.body]).toEqual([first.status, first.body]);
      expect(repeat.headers.get('idempotency-replayed')).toBe('true');
      expect(repeat.body.meta.ignored).toEqual(['stray']);
    }
    expect([made.status, known.status]).toEqual([201, 200]);
  });

  it('external ids of no or of more than 200 characters are refused', async () => {
    expect((await create({ content: 'x', externalId: 'x'.repeat(200) })).status).toBe(201);
    for (const externalId of ['', 'x'.repeat(201), 7, null]) {
      const { status, body } = await create({ content: 'x', externalId });
      expect([status, body.error]).toEqual([422, expect.stringMatching(/^externalId must /)]);
    }
  });

  it('createdAt of a create orders and filters, while asOfTime goes by when the memory was written', async () => {
    const before = new Date().toISOString();
    const { body } = await create({ content: 'heron of old', createdAt: '2019-05-06T07:08:09Z' });
    expect(body.data.createdAt).toBe('2019-05-06T07:08:09.000Z');
    expect(Date.parse(body.data.updatedAt)).toBeGreaterThanOrEqual(Date.parse(before));
    expect(await contents('to=2019-12-31')).toEqual(['heron of old']);
    expect((await contents('order=asc'))[0]).toBe('heron of old');
    const asOf = async (asOfTime: string) =>
      (await http.get<{ data: object[] }>(`/api/memories/search?q=heron&asOfTime=${asOfTime}`)).body.data
        .length;
    expect(await asOf('2020-01-01')).toBe(0);
    expect(await asOf(body.data.updatedAt)).toBe(1);
    const future = await create({ content: 'x', createdAt: '2999-01-01' });
    expect([future.status, future.body.error]).toEqual([422, 'createdAt must not be in the future']);
  });
});

describe.each(engines)('fields that no endpoint knows, on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;
  beforeAll(async () => {
    http = await app.newClient();
  });

  it('unknown fields are named in meta.ignored of what was written, and not where all is known', async () => {
    const ignoredBy = async (method: string, path: string, body: object) => {
      const reply = await http.send<ApiResponse>(method, path, { body });
      expect([path, reply.status < 300]).toEqual([path, true]);
      return [reply.body.meta?.ignored, reply.body.data?.id] as const;
    };
    const stray = { stray: 1, user_id: 'ana' };
    const names = ['stray', 'user_id'];
    const [ignored, id] = await ignoredBy('POST', '/api/memories', {
      content: 'x',
      conversationId: 'NEW',
      name: 'named-one',
      codeContext: { repo: 'r', branch: 'main', extra: { any: 'thing' } },
      metadata: { any: 'thing' },
      precomputed: {},
      distill: true,
      ...stray,
    });
    expect(ignored).toEqual(['codeContext.branch', 'precomputed', 'distill', ...names]);
    const writes: [string, string, object][] = [
      ['PUT', `/api/memories/${id}`, { content: 'y' }],
      ['PUT', '/api/memories/named/named-one', { content: 'z' }],
      ['POST', '/api/memories/bulk-tag', { ids: [id], addTopics: ['t'] }],
      ['POST', '/api/memories/search', { query: 'x' }],
      ['POST', '/api/conversations', { title: 'c' }],
      ['POST', '/api/facts', { subject: 'a', predicate: 'b', object: 'c' }],
      ['POST', '/api/artifacts', { content: 'c', type: 'document' }],
      ['POST', '/api/narratives', { title: 'n', rootMemoryId: id }],
    ];
    for (const [method, path, body] of writes) {
      expect([path, (await ignoredBy(method, path, { ...body, ...stray }))[0]]).toEqual([path, names]);
      if (!path.endsWith('narratives'))
        expect([path, (await ignoredBy(method, path, body))[0]]).toEqual([path, undefined]);
    }
    const [updates] = await ignoredBy('POST', '/api/memories/bulk-update', {
      ids: [id],
      updates: { content: 'w', stray: 1 },
    });
    expect(updates).toEqual(['updates.stray']);
  });

  it('unknown fields are named up to the first twenty, each with 100 characters', async () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`${i}-`.padEnd(150, 'x'), i]));
    const { body } = await http.post<ApiResponse>('/api/memories', { content: 'x', ...many });
    expect(body.meta.ignored?.length).toBe(20);
    expect(body.meta.ignored?.every((name) => name.length === 100)).toBe(true);
  });
});
