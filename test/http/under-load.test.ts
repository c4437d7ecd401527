import { afterEach, describe, expect, it, vi } from 'vitest';
import { type AppFixture, newAppFixture } from '../support/app-fixture.ts';
import { type Gate, newGate } from '../support/gate.ts';
import type { Client } from '../support/http-client.ts';
import { openSocket, type RawSocket } from '../support/raw-socket.ts';

describe('a server with too much to do', () => {
  let app: AppFixture | undefined;
  afterEach(async () => {
    vi.restoreAllMocks();
    await app?.close();
  });

  async function start(settings: Record<string, string>) {
    app = await newAppFixture('sqlite', settings);
    return { app, http: await app.newClient() };
  }

  function holdNextCount(of: AppFixture): Gate {
    const gate = newGate();
    const { probe } = of.services.system;
    const status = probe.rebuildStatus.bind(probe);
    vi.spyOn(probe, 'rebuildStatus').mockImplementationOnce(() => gate.pass(status));
    return gate;
  }

  it('a server with too much to do refuses more requests than it may work on at once, says when to ask again, and is alive', async () => {
    const { app, http } = await start({ MEMORYD_REQUESTS_IN_FLIGHT_MAX: '1' });
    const gate = holdNextCount(app);
    const kept = http.get('/api/system/context/status');
    await gate.reached;
    const refused = await http.get('/api/memories');
    expect(refused).toMatchObject({
      status: 503,
      body: { code: 'OVERLOADED', retryAfter: expect.any(Number) },
    });
    expect(refused.headers.get('retry-after')).toBe(String(refused.body.retryAfter));
    expect((await fetch(`${app.url}/livez?probe=1`)).status).toBe(200);
    expect((await fetch(`${app.url}/health`)).status).toBe(200);
    gate.open();
    expect((await kept).status).toBe(200);
    await expect.poll(async () => (await http.get('/api/memories')).status).toBe(200);
  });

  it('a server with too much to do refuses a user who has as many requests in flight as one may, and answers another', async () => {
    const { app, http } = await start({ MEMORYD_REQUESTS_IN_FLIGHT_PER_USER_MAX: '1' });
    const gate = holdNextCount(app);
    const delayed = http.get('/api/system/context/status');
    await gate.reached;
    expect(await http.get('/api/memories')).toMatchObject({
      status: 503,
      body: { code: 'OVERLOADED', retryAfter: expect.any(Number) },
    });
    expect((await (await app.newClient()).get('/api/memories')).status).toBe(200);
    gate.open();
    expect((await delayed).status).toBe(200);
    await expect.poll(async () => (await http.get('/api/memories')).status).toBe(200);
  });

  it.each([
    ['an unknown path with a body that is never sent', 'POST /nowhere', 404, 'Content-Length: 9\r\n'],
    ['a wrong method with a body that is never sent', 'POST /health', 405, 'Content-Length: 9\r\n'],
    ['a path that needs a key, without one', 'POST /api/memories', 401, 'Content-Length: 9\r\n'],
    ['a public page', 'GET /docs/static/swagger-ui-bundle.js', 200, ''],
  ])('a caller without a key takes no place in the server: %s', async (_, line, status, header) => {
    const { app, http } = await start({ MEMORYD_REQUESTS_IN_FLIGHT_MAX: '1' });
    const responses: number[] = [];
    app.server.on('request', (_request, response) => {
      response.once('finish', () => responses.push(response.statusCode));
      response.once('pipe', () => responses.push(response.statusCode));
    });
    const connections = await Promise.all([openSocket(app.url), openSocket(app.url)]);
    for (const { socket, write } of connections) {
      socket.pause();
      const head = `${line} HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\n${header}\r\n`;
      write(status === 200 ? head.repeat(20) : head);
    }
    // They are answered while their bodies are still missing, or nobody reads.
    await expect.poll(() => responses.length).toBeGreaterThanOrEqual(connections.length);
    expect(responses[0]).toBe(status);
    expect((await http.get('/api/memories')).status).toBe(200);
    for (const { socket } of connections) socket.destroy();
  });

  it('a server whose loop lags answers 503 to the user whose requests take it, and to no other, and is alive', async () => {
    const { app, http } = await start({ MEMORYD_EVENT_LOOP_DELAY_MAX_MS: '50' });
    const { probe } = app.services.system;
    const status = probe.rebuildStatus.bind(probe);
    vi.spyOn(probe, 'rebuildStatus').mockImplementation(() => {
      const end = performance.now() + 150;
      while (performance.now() < end);
      return status();
    });
    const others = await app.newClient();
    const statusOfOthers = new Set<number>();
    await expect
      .poll(
        async () => {
          const [dear, light] = await Promise.all([
            http.get('/api/system/context/status'),
            others.get('/api/memories'),
          ]);
          statusOfOthers.add(light.status);
          return dear.body.code;
        },
        { timeout: 30_000, interval: 1 },
      )
      .toBe('OVERLOADED');
    expect([...statusOfOthers]).toEqual([200]);
    expect((await fetch(`${app.url}/livez`)).status).toBe(200);
    await expect.poll(async () => (await http.get('/api/memories')).status, { timeout: 30_000 }).toBe(200);
  });

  it('a server with too much to do answers 503 to what takes longer than the handler timeout, and logs nothing of the query', async () => {
    const { app, http } = await start({ MEMORYD_HANDLER_TIMEOUT_MS: '100', MEMORYD_LOG_LEVEL: 'info' });
    const gate = holdNextCount(app);
    const late = await http.get('/api/system/context/status?q=hushhush');
    expect(late).toMatchObject({
      status: 503,
      body: { code: 'DEADLINE_EXCEEDED', retryAfter: expect.any(Number) },
    });
    gate.open();
    await expect.poll(() => app.log.join('')).toContain('FST_ERR_REP_ALREADY_SENT');
    expect(app.log.join('')).not.toContain('hushhush');
    await expect.poll(async () => (await http.get('/api/system/context/status')).status).toBe(200);
  });

  it('a server with too much to do finishes what is in flight when it stops, and refuses what comes after in the usual form', async () => {
    const { app, http } = await start({});
    const gate = holdNextCount(app);
    const connection = await openSocket(app.url);
    const head = (path: string) =>
      `GET ${path} HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${http.key}\r\nX-Request-Id: ${path.length}\r\n\r\n`;
    connection.write(head('/api/system/context/status'));
    await gate.reached;
    const stopped = app.stop();
    await expect.poll(() => fetch(`${app.url}/livez`).then(String, () => 'refused')).toBe('refused');
    connection.write(head('/api/memories'));
    await expect.poll(() => connection.socket.bytesWritten).toBeGreaterThan(200);
    gate.open();
    await stopped;
    const text = await connection.received;
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    expect(text).toContain('"memories":0');
    const second = text.slice(text.indexOf('HTTP/1.1', 1));
    expect(second).toMatch(/^HTTP\/1\.1 503 /);
    expect(second).toContain('"code":"SERVER_STOPPING"');
    expect(second).toContain('x-request-id: 13');
  });

  it('a server that stops does not wait for a connection on which nothing was asked', async () => {
    const { app } = await start({});
    const accepted = new Promise<void>((resolve) => app.server.once('connection', () => resolve()));
    const { received } = await openSocket(app.url);
    await accepted;
    await app.stop();
    expect(await received).toBe('');
  });

  it.each([
    ['headers', ''],
    ['a body', 'Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{'],
  ])('a server that stops ends the wait for slow %s', async (_, rest) => {
    const { app, http } = await start({
      MEMORYD_HEADERS_TIMEOUT_MS: '1000',
      MEMORYD_REQUEST_TIMEOUT_MS: '1000',
      // Sooner than the client is given up: it is the body that is late, not the server.
      MEMORYD_HANDLER_TIMEOUT_MS: '500',
      MEMORYD_LOG_LEVEL: 'error',
    });
    const connection = await openSocket(app.url);
    connection.write(
      `POST /api/memories HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${http.key}\r\n${rest}`,
    );
    const text = await connection.received;
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(text).toContain('"code":"REQUEST_INVALID"');
    expect(app.log).toEqual([]);
  });

  it('a server with too much to do refuses requests beyond its limit of memory, says when to ask again, and is alive', async () => {
    const { app, http } = await start({ MEMORYD_MEMORY_MAX_MB: '1', MEMORYD_LOG_LEVEL: 'warn' });
    await expect
      .poll(async () => (await http.get('/api/memories')).body, { timeout: 10_000 })
      .toMatchObject({ code: 'OVERLOADED', retryAfter: expect.any(Number) });
    expect((await fetch(`${app.url}/livez`)).status).toBe(200);
    expect((await fetch(`${app.url}/health`)).status).toBe(200);
    expect(app.log.join('')).toContain('memory is over its limit');
  });

  it('a user who reads nothing of many responses is refused more, and others are answered', async () => {
    const { app, http } = await start({ MEMORYD_UNREAD_RESPONSES_PER_USER_MB: '8' });
    const connections = await neverRead(app, http, 2);
    await expect
      .poll(async () => (await http.get('/api/memories?limit=1')).body, { timeout: 120_000 })
      .toMatchObject({ code: 'OVERLOADED', retryAfter: expect.any(Number) });
    expect((await http.post('/api/memories', { content: 'a write is no more to read' })).status).toBe(201);
    expect((await (await app.newClient()).get('/api/memories')).status).toBe(200);
    for (const { socket } of connections) socket.destroy();
    await expect.poll(async () => (await http.get('/api/memories?limit=1')).status).toBe(200);
  }, 240_000);

  it('a response whose client went away before it was made does not count as unread', async () => {
    const { app, http } = await start({ MEMORYD_UNREAD_RESPONSES_PER_USER_MB: '1' });
    for (let i = 0; i < 3; i++) await http.post('/api/memories', { content: '\u0001'.repeat(40_000) });
    const gate = newGate();
    const { search } = app.services;
    const browse = search.browse.bind(search);
    vi.spyOn(search, 'browse').mockImplementationOnce((...args) => gate.pass(() => browse(...args)));
    const closed = new Promise<void>((resolve) => {
      app.server.once('request', (_request, response) => response.once('close', resolve));
    });
    const { socket, write } = await openSocket(app.url);
    write(`GET /api/memories HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${http.key}\r\n\r\n`);
    await gate.reached;
    socket.destroy();
    await closed;
    gate.open();
    expect((await http.get('/health')).status).toBe(200);
    expect((await http.get('/api/memories')).status).toBe(200);
  });

  it('who leaves most unread is disconnected when all leave too much', async () => {
    const { app, http } = await start({ MEMORYD_UNREAD_RESPONSES_MB: '8' });
    let closed = 0;
    app.server.on('connection', (socket) => socket.once('close', () => closed++));
    const connections = await neverRead(app, http, 2);
    await expect.poll(() => closed, { timeout: 120_000 }).toBeGreaterThan(0);
    expect((await (await app.newClient()).get('/api/memories')).status).toBe(200);
    for (const { socket } of connections) socket.destroy();
  }, 240_000);

  it('a client that reads nothing of a response is disconnected in time', async () => {
    const { app, http } = await start({ MEMORYD_RESPONSE_TIMEOUT_MS: '4000' });
    const connections = await neverRead(app, http, 1);
    const open = () =>
      new Promise<number>((resolve) => app.server.getConnections((_, count) => resolve(count)));
    const before = await open();
    await expect.poll(open, { timeout: 120_000 }).toBeLessThan(before);
    for (const { socket } of connections) socket.destroy();
  }, 240_000);

  /** Connections that each ask for some 24 MB, three pages, and read nothing: more than the system takes for them. */
  async function neverRead(of: AppFixture, http: Client, count: number): Promise<RawSocket[]> {
    for (let i = 0; i < 35; i++) await http.post('/api/memories', { content: '\u0001'.repeat(40_000) });
    return Promise.all(
      Array.from({ length: count }, async () => {
        const connection = await openSocket(of.url);
        connection.socket.pause();
        const head = 'GET /api/memories?limit=1000 HTTP/1.1\r\nHost: here\r\n';
        connection.write(`${head}Authorization: Bearer ${http.key}\r\n\r\n`.repeat(3));
        return connection;
      }),
    );
  }
});
