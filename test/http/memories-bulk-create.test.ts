import { beforeEach, describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

interface Result {
  index?: number;
  line?: number;
  status: number;
  id?: string;
  code?: string;
  details?: unknown;
}
type Reply = { data: Result[]; meta: unknown };

const ndjson = { 'content-type': 'application/x-ndjson' };
const linesOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Result);

describe.each(engines)('memories created in bulk on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;

  beforeEach(async () => {
    http = await app.newClient();
  });

  const bulk = (memories: readonly unknown[], headers = {}) =>
    http.post<Reply>('/api/memories/bulk', { memories }, headers);
  const stream = (lines: readonly unknown[], headers = {}) =>
    http.send('POST', '/api/memories/bulk', {
      rawBody: lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
      headers: { ...ndjson, ...headers },
    });
  const count = async () =>
    (await http.get<{ pagination: { count: number } }>('/api/memories?limit=1')).body.pagination.count;

  it('memories created in bulk are each stored, found before or refused with field and rule', async () => {
    const reply = await bulk([
      { content: 'one', externalId: 'a', topics: ['x'], createdAt: '2024-05-01T10:00:00Z' },
      { content: '' },
      { content: 'two', externalId: 'a' },
      { content: 'three', conversationId: 'conv_unknown' },
      { content: 'four', eventTime: 'soon' },
      { content: 'half \ud800' },
      { content: 'five', colour: 'red' },
      { content: 'six', validFrom: '2024-02-01', validTo: '2024-01-01' },
      { text: 'seven' },
    ]);
    expect(reply.status).toBe(200);
    const { data, meta } = reply.body;
    expect(data.map(({ index, status }) => [index, status])).toEqual(
      [201, 422, 200, 404, 422, 422, 201, 422, 422].map((status, i) => [i, status]),
    );
    expect(meta).toEqual({ created: 2, existing: 1, updated: 0, refused: 6 });
    expect(data[1]).toMatchObject({
      code: 'INPUT_INVALID',
      error: 'content must not be empty',
      details: { field: 'content', rule: 'must not be empty' },
    });
    expect(data[2].id).toBe(data[0].id);
    expect(data[6]).toMatchObject({ ignored: ['colour'] });
    expect(data[8]).toMatchObject({ details: { field: 'content', rule: 'is required' } });
    const stored = await http.get<{ data: object }>(`/api/memories/${data[0].id}`);
    expect(stored.body.data).toMatchObject({
      content: 'one',
      topics: ['x'],
      createdAt: '2024-05-01T10:00:00.000Z',
    });
    const found = await http.post<{ data: unknown[] }>('/api/memories/search', { query: 'five' });
    expect(found.body.data).toHaveLength(1);
    expect(await count()).toBe(2);
  });

  it('memories created in bulk leave what was deleted here in the trash', async () => {
    const [{ id }] = (await bulk([{ content: 'gone', externalId: 'g' }])).body.data;
    await http.delete(`/api/memories/${id}`);
    const again = await bulk([{ content: 'gone', externalId: 'g' }]);
    expect(again.body.data).toMatchObject([
      { status: 409, code: 'MEMORY_IN_TRASH', details: { memoryId: id } },
    ]);
  });

  it('memories created in bulk are those of the key alone', async () => {
    const other = await app.newClient();
    const mine = (await bulk([{ content: 'mine', externalId: 'e', conversationId: 'NEW' }])).body.data[0];
    const { conversationId } = mine as unknown as { conversationId: string };
    const theirs = await other.post<Reply>('/api/memories/bulk', {
      memories: [
        { content: 'theirs', externalId: 'e' },
        { content: 'x', conversationId },
        { content: 'y', supersedes: mine.id },
      ],
    });
    expect(theirs.body.data.map(({ status }) => status)).toEqual([201, 404, 404]);
    expect(theirs.body.data[0].id).not.toBe(mine.id);
    const reader = await app.newClient(['read']);
    expect((await reader.post('/api/memories/bulk', { memories: [{ content: 'x' }] })).status).toBe(403);
    expect((await client(app.url).post('/api/memories/bulk', { memories: [{ content: 'x' }] })).status).toBe(
      401,
    );
  });

  it.each([undefined, {}, { memories: [] }, { memories: 'x' }, { memories: [5] }])(
    'memories created in bulk are refused whole when the body is %j',
    async (body) => {
      expect((await http.post('/api/memories/bulk', body)).status).toBe(422);
    },
  );

  it('memories created in bulk are at most a thousand in one list', async () => {
    const memories = Array.from({ length: 1001 }, (_, i) => ({ content: `n${i}` }));
    expect((await bulk(memories)).status).toBe(422);
    const made = await bulk(memories.slice(1));
    expect(made.body.meta).toEqual({ created: 1000, existing: 0, updated: 0, refused: 0 });
    expect(await count()).toBe(1000);
  });

  it('memories created in bulk with an Idempotency-Key are created once, and another body is refused', async () => {
    const memories = Array.from({ length: 70 }, (_, i) => ({ content: `note ${i}` }));
    const headers = { 'idempotency-key': 'k1' };
    const [first, again] = await Promise.all([bulk(memories, headers), bulk(memories, headers)]);
    expect(again.text).toBe(first.text);
    expect((await bulk(memories, headers)).text).toBe(first.text);
    expect(await count()).toBe(70);
    expect((await bulk([{ content: 'other' }], headers)).body).toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
  });

  it('memories created in bulk from lines have a result each, and a broken line stops no other', async () => {
    const reply = await stream([
      { content: 'one' },
      '{"content": "cut',
      '',
      '[1]',
      '{"content":"a","content":"b","__proto__":{"x":1}}',
      `{"content":${'['.repeat(100)}${']'.repeat(100)}}`,
      { content: 'two', topics: 5 },
      '{"content":"three"}\r',
    ]);
    expect(reply.headers.get('content-type')).toMatch(/^application\/x-ndjson/);
    expect(linesOf(reply.text).map(({ line, status }) => [line, status])).toEqual([
      [1, 201],
      [2, 422],
      [4, 422],
      [5, 422],
      [6, 422],
      [7, 422],
      [8, 201],
    ]);
    expect(linesOf(reply.text)[1]).toMatchObject({ details: { field: 'the line', rule: 'must be JSON' } });
    expect(await count()).toBe(2);
  });

  it('memories created in bulk from lines with an Idempotency-Key continue where the first request ended', async () => {
    const lines = Array.from({ length: 100 }, (_, i) => ({ content: `line ${i}` }));
    const headers = { 'idempotency-key': 'k2' };
    const begun = linesOf((await stream(lines.slice(0, 64), headers)).text);
    const whole = linesOf((await stream(lines, headers)).text);
    expect(whole.slice(0, 64)).toEqual(begun);
    expect(whole).toHaveLength(100);
    expect(await count()).toBe(100);
    const changed = linesOf((await stream([{ content: 'other' }, ...lines], headers)).text);
    expect(changed).toMatchObject([{ status: 422, code: 'IDEMPOTENCY_KEY_REUSED' }]);
    expect(await count()).toBe(100);
  });

  it('memories created in bulk from lines are responded to while more are sent', async () => {
    let send: (line: unknown) => void = () => undefined;
    let end: () => void = () => undefined;
    const body = new ReadableStream({
      start(controller) {
        send = (line) => controller.enqueue(new TextEncoder().encode(`${JSON.stringify(line)}\n`));
        end = () => controller.close();
      },
    });
    send({ content: 'first' });
    const response = await fetch(`${app.url}/api/memories/bulk`, {
      method: 'POST',
      headers: { ...ndjson, authorization: `Bearer ${http.key}` },
      body,
      duplex: 'half',
    } as RequestInit);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    const first = JSON.parse((await reader?.read())?.value ?? '') as Result;
    expect(first).toMatchObject({ line: 1, status: 201 });
    expect((await http.get(`/api/memories/${first.id}`)).status).toBe(200);
    send({ content: 'second' });
    expect(JSON.parse((await reader?.read())?.value ?? '')).toMatchObject({ line: 2, status: 201 });
    end();
    expect((await reader?.read())?.done).toBe(true);
  });

  it('memories created in bulk from lines are at most 10,000, and no line is longer than a body may be', async () => {
    const many = linesOf((await stream(Array.from({ length: 10_005 }, () => '{}'))).text);
    expect(many).toHaveLength(10_001);
    expect(many.at(-1)).toMatchObject({ line: 10_001, details: { field: 'the body' } });
    const long = await stream([{ content: 'x', context: 'y'.repeat(1_100_000) }, { content: 'z' }]);
    expect(linesOf(long.text)).toMatchObject([
      { line: 1, status: 422 },
      { line: 2, status: 201 },
    ]);
  });
});
