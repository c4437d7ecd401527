import { describe, expect, it } from 'vitest';
import { engines } from '../support/database.ts';
import { poll } from '../support/poll.ts';
import { openSocket } from '../support/raw-socket.ts';
import { useApp, useClient } from '../support/use-app.ts';

type Made = { data: { id: string; conversationId: string } };
type Records = { id: string; content?: string; effectiveState?: string }[];
interface Archive {
  exportVersion: string;
  exportedAt: string;
  profile: { id: string; email: string };
  counts: Record<string, number>;
  memories: Records;
  conversations: Records;
  facts: Records;
  patterns: Records;
}

/** `object` with another value in the place of one of its members. */
function replaced<T extends object, K extends keyof T>(object: T, member: K, value: T[K]): T {
  return new Proxy(object, {
    get: (target, key) => {
      if (key === member) return value;
      const own: unknown = Reflect.get(target, key, target);
      return typeof own === 'function' ? own.bind(target) : own;
    },
  });
}

describe.each(engines)('the usage and the export of a user on %s', (engine) => {
  const app = useApp(engine, { MEMORYD_LOG_LEVEL: 'info' });
  const http = useClient(app);
  const remember = async (content: string, more: object = {}) =>
    (await http.post<Made>('/api/memories', { content, ...more })).body.data;
  const archive = async () => {
    const reply = await http.get<Archive>('/api/users/me/export');
    expect(reply.status).toBe(200);
    return reply.body;
  };

  it('the usage is that of the user, and counts what is stored', async () => {
    await remember('one');
    const gone = await remember('two');
    await http.delete(`/api/memories/${gone.id}`);
    const { status, body } = await http.get<{ data: object }>('/api/users/me/usage');
    const me = await http.get<{ usage: object }>('/api/users/me');
    expect([status, body.data]).toEqual([200, me.body.usage]);
    expect(body.data).toMatchObject({ memoriesUsed: 1, percentUsed: 0, quotaBasis: 'monthly' });
    const readOnly = await app.newClient(['write']);
    expect((await readOnly.get('/api/users/me/usage')).status).toBe(200);
  });

  it('an export has every live record as the lists show it, and counts them', async () => {
    const first = await remember('The plan, first version.', { name: 'plan', topics: ['plans'] });
    await http.post('/api/memories/named/plan/append', { block: 'Always test it first.' });
    const empty = await remember('alone in its conversation', { conversationId: 'NEW' });
    const gone = await remember('deleted again', { conversationId: 'NEW' });
    await http.post('/api/facts', { subject: 'plan', predicate: 'is', object: 'good', memoryId: first.id });
    await http.post('/api/facts', { subject: 'gone', predicate: 'is', object: 'gone', memoryId: gone.id });
    await http.delete(`/api/memories/${gone.id}`);
    await http.delete(`/api/memories/${empty.id}`);
    await http.post('/api/patterns/detect');
    const made = await archive();
    const listed = async (path: string) => (await http.get<{ data: Records }>(path)).body.data;
    const byId = (records: Records) => records.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    expect(byId(made.memories)).toEqual(byId(await listed('/api/memories')));
    expect(made.memories.map(({ content }) => content)).toEqual([
      'The plan, first version.',
      'The plan, first version.\n\nAlways test it first.',
    ]);
    expect(byId(made.conversations)).toEqual(byId(await listed('/api/conversations')));
    expect(byId(made.facts)).toEqual(byId(await listed('/api/facts?includeSuperseded=true')));
    expect(made.patterns).toHaveLength(1);
    expect(byId(made.patterns)).toEqual(byId(await listed('/api/patterns')));
    expect(made.counts).toMatchObject({ memories: 2, conversations: 1, facts: 1, patterns: 1 });
    const me = await http.get<{ data: object }>('/api/users/me');
    expect(made).toMatchObject({
      exportVersion: '1.0',
      profile: me.body.data,
      exportedAt: expect.any(String),
    });
  });

  it('an export of more than a piece has every record once, in order of writing', async () => {
    const contents = Array.from({ length: 60 }, (_, i) => `memory number ${i}`);
    for (const content of contents) await remember(content, { conversationId: 'NEW' });
    const { memories, conversations, counts } = await archive();
    expect(memories.map(({ content }) => content)).toEqual(contents);
    expect(new Set(conversations.map(({ id }) => id)).size).toBe(60);
    expect(counts).toMatchObject({ memories: 60, conversations: 60, facts: 0 });
  });

  it('an export of nothing is whole, and has nothing of another user', async () => {
    await remember('of the first user');
    const other = await app.newClient();
    const { body } = await other.get<Archive>('/api/users/me/export');
    expect(body).toMatchObject({ memories: [], conversations: [], facts: [] });
    expect(body.counts).toMatchObject({ memories: 0, conversations: 0, facts: 0 });
  });

  it('an export that fails on its way is cut off and logged, without what it was of', async () => {
    await remember('the secret of a memory');
    const { stores } = app.services;
    const real = stores.forUser;
    stores.forUser = (user) => {
      const own = real.call(stores, user);
      const listAfter = () => Promise.reject(new Error('the secret of a memory'));
      return replaced(own, 'facts', replaced(own.facts, 'listAfter', listAfter));
    };
    try {
      await expect(http.get('/api/users/me/export')).rejects.toThrow();
    } finally {
      stores.forUser = real;
    }
    expect(await archive()).toMatchObject({ counts: { memories: 1 } });
    const logged = app.log.join('');
    expect(logged).toContain('an export was cut off');
    expect(logged).not.toContain('secret');
  });
});

describe('an export that nobody reads', () => {
  const app = useApp('sqlite', {
    MEMORYD_UNREAD_RESPONSES_PER_USER_MB: '4',
    // On a busy machine a second passes between two turns of the event loop, and responses that are read would be cut off too.
    MEMORYD_RESPONSE_TIMEOUT_MS: '5000',
    MEMORYD_HANDLER_TIMEOUT_MS: '200',
    MEMORYD_LOG_LEVEL: 'info',
  });
  const http = useClient(app);

  it('an export that nobody reads waits without being read ahead, and ends after the response timeout', async () => {
    const content = 'x'.repeat(50_000);
    for (let i = 0; i < 200; i++) await http.post('/api/memories', { content });
    let read = 0;
    const { stores } = app.services;
    const real = stores.forUser;
    stores.forUser = (user) => {
      const own = real.call(stores, user);
      const listAfter = (seq: number, limit: number) => {
        read += limit;
        return own.memories.listAfter(seq, limit);
      };
      return replaced(own, 'memories', replaced(own.memories, 'listAfter', listAfter));
    };
    const client = await openSocket(app.url);
    client.socket.pause();
    client.write(
      `GET /api/users/me/export HTTP/1.1\r\nHost: x\r\nX-Request-Id: unread\r\nAuthorization: Bearer ${http.key}\r\n\r\n`,
    );
    await poll('the next one is refused', async () => {
      const { status } = await http.get('/api/memories?limit=1');
      return status === 503 || undefined;
    });
    await poll('the connection is closed', async () => {
      const { status } = await http.get('/api/memories?limit=1');
      return status === 200 || undefined;
    });
    // 10 MB wait in all; the system takes a few of them for a client that does not read.
    expect(read).toBeLessThan(200);
    const lines = app.log.join('').split('\n');
    const ofExport = lines.filter((line) => line.includes('"unread"')).join('');
    expect(ofExport).toContain('"cutOff":true');
    // The deadline of requests passed long before. On a busy machine the creates may pass it too.
    expect(ofExport).not.toMatch(/DEADLINE_EXCEEDED|FST_ERR/);
    client.socket.destroy();
    stores.forUser = real;
  });
});
