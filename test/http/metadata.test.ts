import { beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

interface Record {
  id: string;
  content: string;
  createdAt: string;
  metadata?: object;
}

interface ApiResponse {
  data: Record[];
  meta: { total: number };
  filtersApplied: { metadata?: object };
  error: string;
}

/** An object of so many levels, itself the first. */
const nested = (levels: number): object => (levels === 1 ? { a: 1 } : { a: nested(levels - 1) });

describe.each(engines)('metadata of memories on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;
  beforeAll(async () => {
    http = await app.newClient();
    for (const body of [
      { content: 'heron one', metadata: { team: 'core', size: 3, done: true, tags: ['red', 'blue'] } },
      { content: 'heron two', metadata: { team: 'core', size: '3', source: { repo: 'a/b', line: 7 } } },
      { content: 'heron three', metadata: { team: 'Core', 'source.repo': 'a/b', note: null } },
      { content: 'heron four' },
    ])
      await create(body);
  });

  const create = async (body: object, by = http) =>
    (await by.post<{ data: Record }>('/api/memories', { conversationId: 'NEW', ...body })).body.data;
  const contents = ({ body }: { body: ApiResponse }) =>
    body.data.map(({ content }) => content.slice(6)).sort();
  const listed = async (query: string, by = http) =>
    contents(await by.get<ApiResponse>(`/api/memories?${query}`));
  const found = async (metadata: object, more: object = {}) =>
    contents(await http.post<ApiResponse>('/api/memories/search', { query: 'heron', metadata, ...more }));
  const error = async (method: string, path: string, body?: object) => {
    const reply = await http.send<ApiResponse>(method, path, { body });
    return [reply.status, reply.body.error];
  };

  it('metadata is given back as it was stated wherever the memory is read', async () => {
    const metadata = { text: 'ä "q" \n', n: -1.5e-7, list: [1, [null, { x: {} }]], toJSON: 'x', '': '' };
    const { id, content } = await create({ content: 'one with all kinds', metadata });
    const records = [
      (await http.get<{ data: Record }>(`/api/memories/${id}`)).body.data,
      (await http.get<ApiResponse>(`/api/memories?idPrefix=${id}`)).body.data[0],
      (await http.get<ApiResponse>('/api/memories/search?q=kinds')).body.data[0],
      (await http.post<ApiResponse>('/api/memories/batch', { ids: [id] })).body.data[0],
      (await http.post<Record[]>('/api/memories/export', { query: 'kinds' })).body[0],
    ];
    expect(records).toMatchObject(records.map(() => ({ id, content, metadata })));
    const csv = await http.post('/api/memories/export', {
      query: 'kinds',
      format: 'csv',
      fields: ['metadata'],
    });
    const cell = JSON.stringify(metadata).replaceAll('"', '""');
    expect(csv.text.split('\r\n').slice(0, 2)).toEqual(['metadata', `"${cell}"`]);
    await http.delete(`/api/memories/${id}`);
  });

  it('metadata filters lists and searches by equality, by all of several values', async () => {
    expect(await listed('metadata.team=core')).toEqual(['one', 'two']);
    expect(await listed('metadata.team=core&metadata.done=true')).toEqual(['one']);
    expect(await listed('metadata.team=cor')).toEqual([]);
    expect(await listed('metadata.note=null')).toEqual([]);
    expect(contents(await http.get<ApiResponse>('/api/memories/search?metadata.team=Core'))).toEqual([
      'three',
    ]);
    expect(contents(await http.get<ApiResponse>('/api/memories/search?q=heron&metadata.team=core'))).toEqual([
      'one',
      'two',
    ]);
    expect(await found({ team: 'core' })).toEqual(['one', 'two']);
    expect(await found({ team: 'core', size: 3 })).toEqual(['one']);
    expect(await found({ team: 'core', size: '3' })).toEqual(['two']);
    const { body } = await http.post<Record[]>('/api/memories/export', { metadata: { team: 'Core' } });
    expect(body.map(({ content }) => content)).toEqual(['heron three']);
  });

  it('metadata is found by the items of a list and, with dots, by members of nested objects', async () => {
    expect(await listed('metadata.tags=blue')).toEqual(['one']);
    expect(await listed('metadata.source.repo=a/b')).toEqual(['three', 'two']);
    expect(await found({ source: { repo: 'a/b', line: 7 } })).toEqual(['two']);
    expect(await found({ 'source.line': 7 })).toEqual(['two']);
  });

  it('metadata reads a value in a URL as text, number and truth value, and as JSON exactly', async () => {
    expect(await listed('metadata.size=3')).toEqual(['one', 'two']);
    expect(await listed(`metadata=${encodeURIComponent('{"size":3}')}`)).toEqual(['one']);
    expect(await listed(`metadata=${encodeURIComponent('{"size":"3"}')}&metadata.team=core`)).toEqual([
      'two',
    ]);
    const { body } = await http.get<ApiResponse>('/api/memories?metadata.team=core&metadata.size=3');
    expect(body.filtersApplied.metadata).toEqual({ team: 'core', size: '3' });
  });

  it('metadata is found as it was in searches as of an earlier time', async () => {
    const first = await create({ content: 'heron past', metadata: { stage: 'draft' } });
    await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(first.createdAt));
    await http.put(`/api/memories/${first.id}`, { metadata: { stage: 'final' } });
    const asOfTime = first.createdAt;
    expect(await found({ stage: 'draft' })).toEqual([]);
    expect(await found({ stage: 'final' })).toEqual(['past']);
    expect(await found({ stage: 'draft' }, { asOfTime })).toEqual(['past']);
    expect(await found({ stage: 'final' }, { asOfTime })).toEqual([]);
    const past = await http.get<ApiResponse>(
      `/api/memories/search?q=heron&metadata.stage=draft&asOfTime=${asOfTime}`,
    );
    expect(past.body.data[0].metadata).toEqual({ stage: 'draft' });
    await http.delete(`/api/memories/${first.id}`);
  });

  it('metadata is replaced as a whole by PUT and bulk-update, left alone when absent, cleared by null or {}', async () => {
    const { id } = await create({ content: 'the bittern', metadata: { a: 1, b: 2 } });
    const read = async () => (await http.get<{ data: Record }>(`/api/memories/${id}`)).body.data.metadata;
    await http.put(`/api/memories/${id}`, { content: 'the little bittern' });
    expect(await read()).toEqual({ a: 1, b: 2 });
    await http.put(`/api/memories/${id}`, { metadata: { c: 3 } });
    expect(await read()).toEqual({ c: 3 });
    await http.put(`/api/memories/${id}`, { metadata: null });
    expect(await read()).toBeUndefined();
    await http.post('/api/memories/bulk-update', { ids: [id], updates: { metadata: { d: 4 } } });
    expect(await read()).toEqual({ d: 4 });
    await http.post('/api/memories/bulk-update', { ids: [id], updates: { metadata: {} } });
    expect(await read()).toBeUndefined();
  });

  it('metadata is taken over by the next version of a named memory unless that states its own', async () => {
    await create({ content: 'first', name: 'plan-of-birds', metadata: { owner: 'ana' } });
    const put = async (body: object) =>
      (await http.put<{ data: Record }>('/api/memories/named/plan-of-birds', body)).body.data.metadata;
    expect(await put({ content: 'second' })).toEqual({ owner: 'ana' });
    expect(await put({ content: 'third', metadata: { owner: 'bo' } })).toEqual({ owner: 'bo' });
    expect(await put({ content: 'fourth', metadata: null })).toBeUndefined();
  });

  it('metadata may have 16,384 bytes and 8 levels and no more', async () => {
    const full = { a: 'x'.repeat(16_384 - '{"a":""}'.length) };
    expect((await create({ content: 'full', metadata: full })).metadata).toEqual(full);
    expect((await create({ content: 'deep', metadata: nested(8) })).metadata).toEqual(nested(8));
    const refused = async (metadata: unknown) =>
      error('POST', '/api/memories', { content: 'x', conversationId: 'NEW', metadata });
    expect(await refused({ a: `${full.a}x` })).toEqual([
      422,
      'metadata must have at most 16384 bytes as JSON',
    ]);
    expect(await refused({ a: 'é'.repeat(8189) })).toEqual([422, expect.stringContaining('16384 bytes')]);
    expect(await refused(nested(9))).toEqual([422, 'metadata must not be nested deeper than 8 levels']);
    expect(await refused({ a: [[[[[[[[]]]]]]]] })).toEqual([422, expect.stringContaining('8 levels')]);
    for (const metadata of ['text', 7, true, ['a']])
      expect(await refused(metadata)).toEqual([422, 'metadata must be an object or null']);
    expect(await refused({ a: 'x\0' })).toEqual([422, expect.stringContaining('metadata.a')]);
    expect(await refused({ a: '\ud800' })).toEqual([422, expect.stringContaining('metadata.a')]);
    const infinite = await http.send<ApiResponse>('POST', '/api/memories', {
      rawBody: '{"content":"x","metadata":{"a":1e999}}',
      headers: { 'content-type': 'application/json' },
    });
    expect([infinite.status, infinite.body.error]).toEqual([
      422,
      expect.stringContaining('metadata must not'),
    ]);
  });

  it('metadata filters that no metadata could match are refused by name', async () => {
    const search = (metadata: unknown) => error('POST', '/api/memories/search', { query: 'heron', metadata });
    expect(await search('team')).toEqual([422, 'metadata must be an object']);
    expect(await search({ team: null })).toEqual([
      422,
      'metadata.team must be a text, a number, true or false',
    ]);
    expect(await search({ team: ['a'] })).toEqual([422, expect.stringContaining('metadata.team must be')]);
    expect(await search({ team: { x: {} } })).toEqual([422, 'metadata.team.x must name a value']);
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`k${i}`, i]));
    expect(await search(many)).toEqual([422, 'metadata must ask for at most 20 values']);
    for (const [query, rule] of [
      ['metadata=team', 'metadata must be a JSON object, such as {"team":"core"}'],
      ['metadata.=x', 'metadata. must be followed by the name of a member'],
      ['metadata.a=1&metadata.a=2', 'metadata.a must be given once'],
    ])
      for (const path of ['/api/memories?', '/api/memories/search?q=heron&'])
        expect(await error('GET', path + query)).toEqual([422, rule]);
  });

  it('metadata does not change what the words of a search find', async () => {
    const { body } = await http.get<ApiResponse>('/api/memories/search?q=core&searchMethod=keyword');
    expect(body.meta.total).toBe(0);
  });

  it('metadata is of one user only', async () => {
    expect(await listed('metadata.team=core', await app.newClient())).toEqual([]);
  });
});
