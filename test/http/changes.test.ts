import { describe, expect, it } from 'vitest';
import { createServices, openStorage } from '../../src/container.ts';
import { buildApp } from '../../src/http/app.ts';
import { newAppFixture } from '../support/app-fixture.ts';
import { engines } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import { type Client, client } from '../support/http-client.ts';
import { poll } from '../support/poll.ts';
import { openSocket } from '../support/raw-socket.ts';
import { runStatement } from '../support/run-statement.ts';
import { testConfig } from '../support/test-config.ts';
import { useApp, useClient } from '../support/use-app.ts';

interface Change {
  readonly cursor: string;
  readonly kind: string;
  readonly action: string;
  readonly id: string;
}

async function changesOf(http: Client, since?: string, limit = 1000) {
  const query = since === undefined ? '' : `&since=${encodeURIComponent(since)}`;
  const { status, body } = await http.get(`/api/changes?limit=${limit}${query}`);
  expect(status).toBe(200);
  return body as { data: Change[]; next: string; hasMore: boolean };
}

const acts = (changes: readonly Change[], kind: string) =>
  changes.filter((change) => change.kind === kind).map(({ action, id }) => [action, id]);

/** A stream that is read in the background. */
async function openStream(url: string, key: string | undefined, lastId?: string) {
  const gone = new AbortController();
  const response = await fetch(`${url}/api/events`, {
    headers: { authorization: `Bearer ${key}`, ...(lastId !== undefined && { 'last-event-id': lastId }) },
    signal: gone.signal,
  });
  let text = '';
  let ended = false;
  const events = () =>
    text.split('\n\n').flatMap((block) => {
      const match = /^event: (\w+)\ndata: (.*)(?:\nid: (.*))?$/.exec(block);
      return match ? [{ event: match[1], data: JSON.parse(match[2]) as Partial<Change>, id: match[3] }] : [];
    });
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? [])
      text += decoder.decode(chunk as Uint8Array, { stream: true });
  };
  void read()
    .catch(() => undefined)
    .finally(() => {
      ended = true;
    });
  return { status: response.status, events, ended: () => ended || undefined, close: () => gone.abort() };
}

describe.each(engines)('changes on %s', (engine) => {
  const app = useApp(engine);
  const http = useClient(app);
  const create = async (content: string) =>
    ((await http.post('/api/memories', { content })).body as { data: { id: string } }).data.id;

  it('the list names what was created, changed, deleted and restored, in order', async () => {
    const { next } = await changesOf(http, 'now');
    const id = await create('The tide is at six.');
    await http.put(`/api/memories/${id}`, { content: 'The tide is at seven.' });
    const deleted = await http.delete(`/api/memories/${id}`);
    await http.post(`/api/trash/${deleted.headers.get('trash-entry')}/restore`, {});
    const { data, hasMore } = await changesOf(http, next);
    expect(acts(data, 'memory')).toEqual([
      ['created', id],
      ['changed', id],
      ['deleted', id],
      ['restored', id],
    ]);
    expect(hasMore).toBe(false);
  });

  it('what was derived from a memory is in the list, and removed relationships are', async () => {
    const [one, two] = [await create('Ana Torres works at Initech.'), await create('Ana moved to Oslo.')];
    await deriveAll(app.services);
    const { data } = await changesOf(http);
    expect(acts(data, 'memory')).toEqual(
      expect.arrayContaining([
        ['derived', one],
        ['derived', two],
      ]),
    );
    const { next } = await changesOf(http, 'now');
    const made = await http.post<{ data: { id: string } }>(`/api/memories/${two}/relationships`, {
      targetMemoryId: one,
      type: 'FOLLOWS',
    });
    const { id } = made.body.data;
    await http.delete(`/api/memories/${two}/relationships/${id}`);
    const edges = acts((await changesOf(http, next)).data, 'relationship');
    expect(edges).toEqual([
      ['created', id],
      ['deleted', id],
    ]);
  });

  it('erasing for good is in the list', async () => {
    const id = await create('A secret.');
    const entry = (await http.delete(`/api/memories/${id}`)).headers.get('trash-entry');
    const { next } = await changesOf(http, 'now');
    await http.delete(`/api/trash/${entry}?confirm=true`);
    expect(acts((await changesOf(http, next)).data, 'memory')).toEqual([['erased', id]]);
  });

  it('a reader that passes its cursor on gets each change once while many are written', async () => {
    let { next } = await changesOf(http, 'now');
    const written = Promise.all(Array.from({ length: 40 }, (_, i) => create(`Note ${i} of the day.`)));
    const found: string[] = [];
    const read = async () => {
      const page = await changesOf(http, next, 3);
      next = page.next;
      found.push(...acts(page.data, 'memory').map(([, id]) => id));
      return page.data.length;
    };
    let isWritten = false;
    void written.then(() => {
      isWritten = true;
    });
    while (!isWritten) await read();
    while ((await read()) > 0);
    expect(found.toSorted()).toEqual((await written).toSorted());
  });

  it('nobody sees the changes of another user, and their cursors are refused', async () => {
    await create('Mine.');
    const mine = await changesOf(http);
    const other = await app.newClient();
    expect(acts((await changesOf(other)).data, 'memory')).toEqual([]);
    const refused = await other.get(`/api/changes?since=${encodeURIComponent(mine.next)}`);
    expect([refused.status, refused.body.error]).toEqual([422, expect.stringContaining('cursor')]);
  });

  it('a cursor of changes that are no longer kept is refused with 410', async () => {
    const { next } = await changesOf(http);
    await runStatement({ engine, url: app.databaseUrl }, 'UPDATE user_counters SET rev = rev + 200000');
    const refused = await http.get(`/api/changes?since=${encodeURIComponent(next)}`);
    expect([refused.status, refused.body.code]).toEqual([410, 'CHANGES_EXPIRED']);
    const stream = await http.send('GET', '/api/events', { headers: { 'last-event-id': next } });
    expect(stream.status).toBe(410);
    const id = await create('Later.');
    expect(acts((await changesOf(http)).data, 'memory').at(-1)).toEqual(['created', id]);
  });

  it('a stream sends what is written, and goes on without a gap behind Last-Event-ID', async () => {
    const first = await openStream(app.url, http.key);
    expect(first.status).toBe(200);
    await poll('open', async () => first.events().length > 0 || undefined);
    const one = await create('First.');
    const seen = await poll('the event', async () =>
      first.events().find(({ data }) => data.kind === 'memory' && data.id === one),
    );
    first.close();
    const two = await create('Second.');
    const second = await openStream(app.url, http.key, seen.id);
    const three = await create('Third.');
    const after = await poll('both events', async () => {
      const ids = second.events().flatMap(({ data }) => (data.kind === 'memory' ? [data.id] : []));
      return ids.includes(three) ? ids : undefined;
    });
    expect(after).toEqual([two, three]);
    second.close();
  });

  it('a stream of another user stays silent', async () => {
    const other = await app.newClient();
    const stream = await openStream(app.url, other.key);
    const own = await openStream(app.url, http.key);
    const id = await create('Mine.');
    await poll('the event', async () => own.events().find(({ data }) => data.id === id));
    expect(stream.events().filter(({ event }) => event === 'change')).toEqual([]);
    stream.close();
    own.close();
  });

  it('a stream ends with its key, and says so', async () => {
    const made = (
      await http.post<{ data: { apiKey: string; keyInfo: { id: string } } }>('/api/apikeys', {
        scopes: ['read'],
      })
    ).body.data;
    const stream = await openStream(app.url, made.apiKey);
    await poll('open', async () => stream.events().length > 0 || undefined);
    await http.delete(`/api/apikeys/${made.keyInfo.id}`);
    await poll('the end', async () => stream.ended());
    expect(stream.events().at(-1)).toMatchObject({
      event: 'end',
      data: { code: 'AUTHENTICATION_REQUIRED' },
    });
  });

  it('a user has 16 streams at most', async () => {
    const streams = [];
    for (let i = 0; i < 16; i++) streams.push(await openStream(app.url, http.key));
    expect(streams.map(({ status }) => status)).toEqual(Array.from({ length: 16 }, () => 200));
    const { status, text } = await http.send('GET', '/api/events', {});
    expect([status, text]).toEqual([503, expect.stringContaining('OVERLOADED')]);
    for (const stream of streams) stream.close();
  });

  it('a client that leaves its events unread is disconnected', async () => {
    const own = await newAppFixture(engine, { MEMORYD_CONNECTION_TIMEOUT_MS: '1000' });
    try {
      const reader = await own.newClient();
      const { next } = await changesOf(reader);
      const user = '(SELECT max(id) FROM users)';
      const database = { engine, url: own.databaseUrl };
      await runStatement(
        database,
        `WITH RECURSIVE numbers(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < 90000)
         INSERT INTO changes (user_id, rev, part, kind, action, record_id)
         SELECT ${user}, i, 1, 'memory', 'changed', '${'0'.repeat(200)}' FROM numbers`,
      );
      await runStatement(database, `UPDATE user_counters SET rev = 90000 WHERE user_id = ${user}`);
      const closed = new Promise((resolve) =>
        own.server.once('connection', (end) => end.once('close', resolve)),
      );
      const { socket, write } = await openSocket(own.url);
      socket.pause();
      const head = `Host: x\r\nAuthorization: Bearer ${reader.key}\r\nLast-Event-ID: ${next}\r\n\r\n`;
      write(`GET /api/events HTTP/1.1\r\n${head}`);
      await closed;
      socket.destroy();
    } finally {
      await own.close();
    }
  });

  it('a stop of the server ends open streams at once, and says so', async () => {
    const own = await newAppFixture(engine);
    try {
      const { key } = await own.newClient();
      const stream = await openStream(own.url, key);
      await poll('open', async () => stream.events().length > 0 || undefined);
      await own.stop();
      await poll('the end', async () => stream.ended());
      expect(stream.events().at(-1)).toMatchObject({ event: 'end', data: { code: 'SERVER_STOPPING' } });
    } finally {
      await own.close();
    }
  });
});

describe.runIf(engines.includes('postgres'))('changes of two processes on postgres', () => {
  const app = useApp('postgres', { MEMORYD_CONNECTION_TIMEOUT_MS: '60000' });
  const http = useClient(app);

  it('a stream at one process sends what is written at the other, in the order of the commits', async () => {
    const config = testConfig({ MEMORYD_DATABASE_URL: app.databaseUrl, MEMORYD_LOG_LEVEL: 'silent' });
    const storage = await openStorage(config, { exclusive: true });
    const services = createServices(config, storage);
    const second = await buildApp(services, config);
    try {
      const other = client(await second.listen({ host: '127.0.0.1', port: 0 }), http.key);
      const stream = await openStream(app.url, http.key);
      await poll('open', async () => stream.events().length > 0 || undefined);
      const writers = [http, other, http, other].map(async (each, writer) => {
        for (let i = 0; i < 10; i++)
          await each.post('/api/memories', { content: `Note ${i} of writer ${writer}.` });
      });
      await Promise.all(writers);
      const seen = await poll('all events', async () => {
        const memories = stream
          .events()
          .filter(({ data }) => data.kind === 'memory' && data.action === 'created');
        return memories.length >= 40 ? memories.map(({ id }) => id) : undefined;
      });
      const listed = (await changesOf(other)).data.filter(
        ({ kind, action }) => kind === 'memory' && action === 'created',
      );
      expect(seen).toEqual(listed.map(({ cursor }) => cursor));
      expect(new Set(seen).size).toBe(40);
      stream.close();
    } finally {
      await second.close();
      await services.close();
      await storage.close();
    }
  });
});
