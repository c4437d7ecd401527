import { describe, expect, it } from 'vitest';
import type { Digest, DigestRequest } from '../../src/briefing/digest/digest.ts';
import { AppError } from '../../src/domain/shared/errors.ts';
import { engines } from '../support/database.ts';
import { eventsOf } from '../support/events.ts';
import { newGate } from '../support/gate.ts';
import { poll } from '../support/poll.ts';
import { openSocket } from '../support/raw-socket.ts';
import { useApp, useClient } from '../support/use-app.ts';

const path = '/api/memories/digest/stream';
type Digests = { digest: (user: never, request: DigestRequest) => Promise<Digest> };

/** Bytes of a request, for a client that watches what comes. */
function requestOf(key: string | undefined, body: object): string {
  const text = JSON.stringify(body);
  const headers = ['Host: x', `Authorization: Bearer ${key}`, 'Content-Type: application/json'];
  return `POST ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
}

describe.each(engines)('streamed digests on %s', (engine) => {
  const app = useApp(engine, {
    MEMORYD_CONNECTION_TIMEOUT_MS: '3000',
    MEMORYD_CORS_ORIGINS: 'https://a.test',
  });
  const http = useClient(app);

  /** Puts `digest` in the place of the real one while `use` runs; it is given the real one. */
  async function withDigest(
    digest: (real: () => Promise<Digest>, request: DigestRequest) => Promise<Digest>,
    use: () => Promise<void>,
  ) {
    const briefing = app.services.briefing as unknown as Digests;
    const real = briefing.digest;
    briefing.digest = (user, request) => digest(() => real(user, request), request);
    try {
      await use();
    } finally {
      briefing.digest = real;
    }
  }

  it('streamed digests are what the digest is, then done', async () => {
    for (const content of ['High tide is at six.', 'Low tide is at noon.'])
      await http.post('/api/memories', { content, topics: ['tides'] });
    const body = { query: 'tide', verbatimRecent: 2, includeMemoryIds: true, surprise: 1 };
    const headers = { origin: 'https://a.test' };
    // On a busy machine a part of a search may be late: then two digests need not be equal.
    const inTime = (to: string) =>
      poll('a digest of which nothing was late', async () => {
        const reply = await http.send('POST', to, { body, headers });
        return reply.text.includes('"degraded":true') ? undefined : reply;
      });
    const [whole, reply] = [await inTime('/api/memories/digest'), await inTime(path)];
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    expect(reply.headers.get('access-control-allow-origin')).toBe('https://a.test');
    expect(reply.headers.get('x-request-id')).not.toBeNull();
    expect(reply.text.startsWith(': heartbeat\n\n')).toBe(true);
    const [result, done, ...more] = eventsOf(reply.text);
    const metadata = { ...(whole.body.metadata as object), generatedAt: expect.any(String) };
    expect(result).toEqual({ event: 'result', data: { ...whole.body, metadata } });
    expect(whole.body.meta).toEqual({ ignored: ['surprise'] });
    expect([done, more]).toEqual([{ event: 'done', data: {} }, []]);
  });

  it('streamed digests say with comments that the work goes on', async () => {
    const gate = newGate();
    await withDigest(
      (real) => gate.pass(real),
      async () => {
        const client = await openSocket(app.url);
        let text = '';
        client.socket.on('data', (chunk) => {
          text += chunk.toString();
        });
        client.write(requestOf(http.key, { query: 'tide' }));
        await poll('comments', async () => text.split(': heartbeat\n\n').length > 3 || undefined);
        expect(text).not.toContain('event:');
        gate.open();
        await poll('the end', async () => text.includes('event: done') || undefined);
        client.socket.destroy();
      },
    );
  });

  it('streamed digests end when their client goes away', async () => {
    const gate = newGate();
    let ended: Error | undefined;
    let signal: AbortSignal | undefined;
    await withDigest(
      (real, request) => {
        signal = request.signal;
        return gate.pass(async () => {
          const made = real();
          made.catch((error: Error) => {
            ended = error;
          });
          return made;
        });
      },
      async () => {
        const client = await openSocket(app.url);
        client.write(requestOf(http.key, { query: 'tide' }));
        await gate.reached;
        client.socket.destroy();
        await client.received;
        await poll('the client is missed', async () => signal?.aborted || undefined);
        gate.open();
        await poll('the work ends', async () => ended);
        expect((ended as Error | undefined)?.name).toBe('AbortError');
      },
    );
    expect((await http.post(path, { query: 'tide' })).text).toContain('event: done');
  });

  it('streamed digests tell a failure as an event', async () => {
    const failed = async (failure: Error) => {
      let text = '';
      await withDigest(
        async () => {
          throw failure;
        },
        async () => {
          text = (await http.post(path, { query: 'tide' })).text;
        },
      );
      return eventsOf(text);
    };
    const away = new AppError('STORAGE_UNAVAILABLE', 'The store cannot be reached.', { retryAfter: 2 });
    expect(await failed(away)).toEqual([
      {
        event: 'error',
        data: {
          error: 'The store cannot be reached.',
          code: 'STORAGE_UNAVAILABLE',
          statusCode: 503,
          retryAfter: 2,
          requestId: expect.any(String),
        },
      },
    ]);
    const [{ data }] = await failed(new Error('the secret of a memory'));
    expect(data).toMatchObject({ code: 'INTERNAL', statusCode: 500 });
    expect(JSON.stringify(data)).not.toContain('secret');
  });

  it.each([
    [{ query: '' }, 'query'],
    [{ query: ' ' }, 'query'],
    [{ query: 'a', maxSources: 501 }, 'maxSources'],
    [{ query: 'a', recent: '0d' }, 'recent'],
    [{}, 'query'],
  ])('streamed digests refuse %j before they begin', async (body, field) => {
    const reply = await http.post<{ error: string }>(path, body);
    expect([reply.status, reply.body.error]).toEqual([422, expect.stringContaining(field)]);
  });

  it('streamed digests show nothing of other users, and nothing without a key', async () => {
    await http.post('/api/memories', { content: 'The lighthouse keeper is called Ada.' });
    const other = await app.newClient();
    const [{ data }] = eventsOf((await other.post(path, { query: 'lighthouse keeper' })).text);
    expect((data as { sources: unknown[] }).sources).toEqual([]);
    expect((await fetch(app.url + path, { method: 'POST' })).status).toBe(401);
  });
});

describe('a streamed digest that nobody reads', () => {
  const app = useApp('sqlite', { MEMORYD_UNREAD_RESPONSES_PER_USER_MB: '8' });
  const http = useClient(app);

  it('a streamed digest that nobody reads counts as unread, and the next one is refused', async () => {
    const digest = {
      text: 'x'.repeat(7_900_000),
      sources: [],
      considered: 0,
      tokens: 0,
      omitted: 0,
      relevanceFloor: 0,
    };
    const made = { ...digest, keyFacts: [], entities: [], branchFailures: [], isCut: false };
    (app.services.briefing as unknown as Digests).digest = async () => made;
    const client = await openSocket(app.url);
    client.socket.pause();
    client.write(requestOf(http.key, { query: 'tide' }));
    const isRefused = async () => {
      const [{ event, data }] = eventsOf((await http.post(path, { query: 'tide' })).text);
      if (event === 'error') expect(data).toMatchObject({ code: 'OVERLOADED', statusCode: 503 });
      return event === 'error';
    };
    await poll('the next one is refused', async () => (await isRefused()) || undefined);
    client.socket.destroy();
    await poll('the next one is made', async () => !(await isRefused()) || undefined);
  });
});
