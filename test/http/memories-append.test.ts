import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { useApp, useClient } from '../support/use-app.ts';

type Data = Record<string, unknown> & { id: string; content: string; version: number };
type Made = { data: Data; meta: { previousVersionId: string; version: number } };

const path = '/api/memories/named/log/append';

describe.each(engines)('an append to a named memory on %s', (engine) => {
  const app = useApp(engine);
  const http = useClient(app);
  const start = async (fields = {}) =>
    (await http.post<Made>('/api/memories', { content: 'one', name: 'log', ...fields })).body.data;
  const append = (body: unknown, headers = {}) => http.post<Made>(path, body, headers);
  const versions = async () =>
    (await http.get<{ versions: Data[] }>('/api/memories/named/log/history?limit=100')).body.versions;

  it('an append makes a version with the text before, a blank line and the block', async () => {
    const first = await start({ topics: ['a'], eventTime: '2024-01-01', context: 'c' });
    const second = await append({ block: 'two' });
    expect([second.status, second.body.meta]).toEqual([201, { previousVersionId: first.id, version: 2 }]);
    expect(second.body.data).toMatchObject({
      name: 'log',
      content: 'one\n\ntwo',
      topics: ['a'],
      context: 'c',
      conversationId: first.conversationId,
      effectiveState: 'current',
    });
    expect('eventTime' in second.body.data).toBe(false);
    const third = await append({ block: 'three', separator: '', topics: ['b'], conversationId: 'NEW' });
    expect(third.body.data).toMatchObject({ content: 'one\n\ntwothree', topics: ['b'], version: 3 });
    expect(third.body.data.conversationId).not.toBe(first.conversationId);
    expect((await versions()).map(({ version, effectiveState }) => [version, effectiveState])).toEqual([
      [3, 'current'],
      [2, 'superseded'],
      [1, 'superseded'],
    ]);
    const head = await http.get<Made>('/api/memories/named/log');
    expect([head.body.data.id, third.headers.get('etag')]).toEqual([
      third.body.data.id,
      head.headers.get('etag'),
    ]);
    const found = await http.get<{ data: Data[] }>('/api/memories/search?q=twothree&searchMethod=keyword');
    expect(found.body.data.map(({ id }) => id)).toEqual([third.body.data.id]);
  });

  it('appends at the same time all land, each whole and in the order of their versions', async () => {
    await start({ content: 'begin' });
    const blocks = Array.from({ length: 24 }, (_, i) => `block-${i}-${'x'.repeat(i)}.`);
    const replies = await Promise.all(blocks.map((block) => append({ block, separator: '\n' })));
    expect(replies.map(({ status }) => status)).toEqual(blocks.map(() => 201));
    const byVersion = replies
      .map(({ body }, i) => ({ version: body.meta.version, block: blocks[i], data: body.data }))
      .sort((a, b) => a.version - b.version);
    expect(byVersion.map(({ version }) => version)).toEqual(blocks.map((_, i) => i + 2));
    byVersion.forEach(({ data }, i) => {
      const text = ['begin', ...byVersion.slice(0, i + 1).map(({ block }) => block)].join('\n');
      expect(data.content).toBe(text);
    });
    // The text of each was known in its transaction only: its words and vectors are of that text all the same.
    const [first, last] = [byVersion[0].block, byVersion[23].block];
    for (const searchMethod of ['keyword', 'semantic'])
      for (const query of [first, last]) {
        const found = await http.post<{ data: Data[] }>('/api/memories/search', {
          query,
          searchMethod,
          threshold: 0,
        });
        expect(found.body.data.map(({ id }) => id)).toEqual([byVersion[23].data.id]);
      }
  });

  it('an append that would make the memory too long is a 413 that says how long, and writes nothing', async () => {
    await start({ content: 'x'.repeat(49_990) });
    const refused = await append({ block: 'y'.repeat(9) });
    expect([refused.status, refused.body]).toEqual([
      413,
      expect.objectContaining({
        code: 'CONTENT_TOO_LONG',
        error: expect.stringContaining('block makes the memory 50001 characters long'),
        details: { length: 50_001, lengthMax: 50_000 },
      }),
    ]);
    expect(await versions()).toHaveLength(1);
    expect((await append({ block: 'y'.repeat(8) })).status).toBe(201);
  });

  it('an append that is sent again with its Idempotency-Key is done once', async () => {
    await start();
    const headers = { 'idempotency-key': randomUUID() };
    const [first, second] = [
      await append({ block: 'two' }, headers),
      await append({ block: 'two' }, headers),
    ];
    expect([second.status, second.body]).toEqual([201, first.body]);
    expect(await versions()).toHaveLength(2);
  });

  it('an append to a name that is not there, or is of another user, is a 404', async () => {
    await start();
    const other = await app.newClient();
    const [unknown, foreign] = [
      await http.post('/api/memories/named/nothing/append', { block: 'x' }),
      await other.post(path, { block: 'x' }),
    ];
    for (const { status, body } of [unknown, foreign])
      expect([status, body.code]).toEqual([404, 'MEMORY_NOT_FOUND']);
    expect((await append({ block: 'x', conversationId: 'conv_x' })).status).toBe(404);
    expect(await versions()).toHaveLength(1);
  });

  it.each([
    [{}, 'block'],
    [{ block: '' }, 'block'],
    [{ block: 'x'.repeat(50_001) }, 'block'],
    [{ block: 'x', separator: 'y'.repeat(101) }, 'separator'],
    [{ block: 'x', topics: 'a' }, 'topics'],
    [{ block: 'x', memoryType: 'tale' }, 'memoryType'],
  ])('an append of bad input %# is a 422 that names the field', async (body, field) => {
    await start();
    const reply = await append(body);
    expect([reply.status, (reply.body as unknown as { error: string }).error]).toEqual([
      422,
      expect.stringContaining(field),
    ]);
  });
});
