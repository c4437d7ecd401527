import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AppError } from '../../src/domain/shared/errors.ts';
import { buildApp } from '../../src/http/app.ts';
import type { RouteApp } from '../../src/http/route-plugin.ts';
import { type AppFixture, newAppFixture } from '../support/app-fixture.ts';
import { engines } from '../support/database.ts';
import { type Client, client, type Reply } from '../support/http-client.ts';
import { testConfig } from '../support/test-config.ts';

type Data<T> = { data: T };
const requestsAtOnce = 8;

describe.each(engines)('an Idempotency-Key on %s', (engine) => {
  let app: AppFixture;
  let http: Client;
  /** The same user at another process of the same store: it shares nothing of what the plugins remember. */
  let elsewhere: Client;
  let other: RouteApp;
  beforeEach(async () => {
    app = await newAppFixture(engine);
    http = await app.newClient();
    const settings = {
      MEMORYD_DATABASE_URL: app.databaseUrl,
      MEMORYD_LOG_LEVEL: 'silent',
      MEMORYD_EVENT_LOOP_DELAY_MAX_MS: '60000',
    };
    other = await buildApp(app.services, testConfig(settings), {
      write: () => undefined,
      flush: () => undefined,
      dropped: 0,
    });
    elsewhere = client(await other.listen({ host: '127.0.0.1', port: 0 }), http.key);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await other.close();
    await app.close();
  });

  const memory = async (content: string, topics: string[] = []) =>
    (await http.post<Data<{ id: string }>>('/api/memories', { content, topics })).body.data.id;
  const total = async (path: string) => (await http.get<Data<unknown[]>>(path)).body.data.length;
  const post = (path: string, body?: object, key = 'k') => http.post(path, body, { 'idempotency-key': key });

  /** Sent to both processes at once, and to each again later. */
  async function race(path: string, body?: object): Promise<Reply<unknown>> {
    const headers = { 'idempotency-key': `key of ${path}`.replaceAll(' ', '-') };
    const send = (i: number) => (i % 2 === 0 ? http : elsewhere).post(path, body, headers);
    const replies = await Promise.all(Array.from({ length: requestsAtOnce }, (_, i) => send(i)));
    replies.push(await send(0), await send(1));
    const seen = replies.map(({ status, text, headers: got }) => ({ status, text, etag: got.get('etag') }));
    for (const each of seen) expect(each).toEqual(seen[0]);
    return replies[0];
  }

  it.each([
    ['memories', { content: 'once' }],
    ['facts', { subject: 'a', predicate: 'b', object: 'c' }],
    ['artifacts', { content: 'once', type: 'text' }],
    ['conversations?minMemories=0', { title: 'once' }],
  ])(
    'an Idempotency-Key makes one of %s however many processes are asked at once, with one ETag',
    async (list, body) => {
      const path = `/api/${list.split('?')[0]}`;
      const first = await race(path, body);
      expect(first.status).toBe(201);
      expect(first.headers.get('etag')).toMatch(/^"/);
      expect(await total(`/api/${list}`)).toBe(1);
    },
  );

  it('an Idempotency-Key makes one narrative, one relationship and one entry of feedback', async () => {
    const [a, b] = [await memory('a'), await memory('b')];
    expect((await race('/api/narratives', { title: 't', rootMemoryId: a })).status).toBe(201);
    expect(await total('/api/narratives')).toBe(1);
    const related = await race(`/api/memories/${a}/relationships`, { targetMemoryId: b, type: 'FOLLOWS' });
    expect(related.status).toBe(201);
    const feedback = await race('/api/memories/search/feedback', { memoryId: a, action: 'selected' });
    expect([feedback.status, feedback.text]).toEqual([204, '']);
    const stats = await http.get<{ data: { feedback: { selected: number } } }>('/api/memories/stats');
    expect(JSON.stringify(stats.body)).toContain('"selected":1');
  });

  it('an Idempotency-Key changes memories, threads and the trash once', async () => {
    const [a, b] = [await memory('a', ['x']), await memory('b')];
    expect((await race('/api/memories/bulk-tag', { ids: [a, b], addTopics: ['t'] })).status).toBe(200);
    expect(
      (await race('/api/memories/bulk-update', { ids: [a], updates: { memoryType: 'semantic' } })).status,
    ).toBe(200);
    const thread = await http.post<Data<{ id: string }>>('/api/narratives', { title: 't', rootMemoryId: a });
    const added = await race(`/api/narratives/${thread.body.data.id}/memories`, { memoryId: b, position: 0 });
    expect(added.status).toBe(200);
    await http.delete(`/api/memories/${b}`);
    const trash = await http.get<Data<{ id: string }[]>>('/api/trash');
    expect((await race(`/api/trash/${trash.body.data[0].id}/restore`)).status).toBe(200);
    expect((await race('/api/memories/repair-effective-state')).status).toBe(200);
    expect((await race('/api/topics/merge', { sourceTopicId: 'x', targetTopicId: 't' })).status).toBe(200);
  });

  it('an Idempotency-Key continues a merge of topics that was interrupted after its first transaction', async () => {
    for (const name of ['x', 't']) await memory(`about ${name}`, [name]);
    const { topicMerges } = app.services;
    const fault = new AppError('STORAGE_UNAVAILABLE', 'Busy.', { retryAfter: 1 });
    const finish = topicMerges.finish.bind(topicMerges);
    let calls = 0;
    vi.spyOn(topicMerges, 'finish').mockImplementation(async (user) => {
      calls++;
      if (calls === 2) throw fault;
      await finish(user);
    });
    const merge = (at: Client) =>
      at.post<Data<{ memoryCount?: number; name: string }>>(
        '/api/topics/merge',
        { sourceTopicId: 'x', targetTopicId: 't' },
        { 'idempotency-key': 'k' },
      );
    expect((await merge(http)).status).toBe(503);
    vi.restoreAllMocks();
    // What the service does at its start: the retry comes when the merge is done.
    const left = await app.services.users.listUnfinished('topic_merge');
    expect(left).toHaveLength(1);
    for (const user of left) await topicMerges.finish(user);
    expect(await app.services.users.listUnfinished('topic_merge')).toEqual([]);
    const continued = await merge(elsewhere);
    expect(continued).toMatchObject({ status: 200, body: { data: { name: 't' } } });
    expect((await merge(http)).text).toBe(continued.text);
    const other = await http.post(
      '/api/topics/merge',
      { sourceTopicId: 't', targetTopicId: 'x' },
      { 'idempotency-key': 'k' },
    );
    expect(other).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_KEY_REUSED' } });
  });

  it('an Idempotency-Key gives one refusal to all who repeat it', async () => {
    const refused = await race('/api/narratives', { title: 't', rootMemoryId: crypto.randomUUID() });
    expect(refused.status).toBe(404);
  });

  it('an Idempotency-Key makes one API key whose secret is stored nowhere and is not shown again', async () => {
    const [first, ...repeats] = await Promise.all(
      [1, 2, 3].map(() => post('/api/apikeys', { label: 'agent' })),
    );
    const made = [first, ...repeats].filter(({ status }) => status === 201) as Reply<
      Data<{ apiKey: string; keyInfo: { id: string } }>
    >[];
    expect(made).toHaveLength(1);
    const { apiKey, keyInfo } = made[0].body.data;
    const shownBefore = { status: 409, body: { code: 'API_KEY_SHOWN_BEFORE', details: { id: keyInfo.id } } };
    const again = [await post('/api/apikeys', { label: 'agent' })];
    again.push(await elsewhere.post('/api/apikeys', { label: 'agent' }, { 'idempotency-key': 'k' }));
    for (const each of again) {
      expect(each).toMatchObject(shownBefore);
      expect(each.text).not.toContain(apiKey.split('.')[1]);
    }
    const [user] = await app.services.users.list();
    const stored = await app.services.idempotency.find(user, 'k');
    expect(stored?.body).not.toContain(apiKey.split('.')[1]);
    await http.delete(`/api/apikeys/${keyInfo.id}`);
    expect(await post('/api/apikeys', { label: 'agent' })).toMatchObject(shownBefore);
  });
});
