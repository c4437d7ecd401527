import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type AppFixture, newAppFixture } from '../support/app-fixture.ts';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { sendRaw } from '../support/raw-request.ts';
import { openSocket } from '../support/raw-socket.ts';

type Refusal = { error: string; code: string; requestId: string };

describe.each(engines)('HTTP on %s', (engine) => {
  let app: AppFixture;
  let http: Client;
  let authorization: string;
  beforeAll(async () => {
    app = await newAppFixture(engine, {
      MEMORYD_CORS_ORIGINS: 'https://app.example',
      MEMORYD_BODY_BYTES_MAX: '200000',
    });
    http = await app.newClient();
    authorization = `Bearer ${http.key}`;
  });
  afterAll(() => app.close());

  const json = { 'content-type': 'application/json' };
  const refused = (status: number, code: string) => ({
    status,
    body: { code, error: expect.any(String), requestId: expect.any(String) },
  });

  it('the server names the request in a header of every response and in every error body', async () => {
    const fine = await http.get('/api/users/me', { 'x-request-id': 'mine-1' });
    expect(fine.headers.get('x-request-id')).toBe('mine-1');
    const odd = await http.get<Refusal>('/api/nowhere', { 'x-request-id': 'has spaces & more' });
    expect(odd.headers.get('x-request-id')).toBe(odd.body.requestId);
    expect(odd.body.requestId).toMatch(/^[\w.-]{1,64}$/);
    expect(odd).toMatchObject(refused(404, 'ROUTE_NOT_FOUND'));
  });

  it('the server names the methods of a path that is asked with another', async () => {
    const response = await http.send('PATCH', '/api/apikeys');
    expect(response).toMatchObject(refused(405, 'METHOD_NOT_ALLOWED'));
    expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS, POST');
  });

  it.each([
    ['GET', '/api/memories/bulk', 'DELETE, OPTIONS, POST'],
    ['PUT', '/api/memories/search', 'GET, HEAD, OPTIONS, POST'],
    ['DELETE', '/api/topics/merge', 'OPTIONS, POST'],
    ['GET', '/api/conversations/by-topic', 'OPTIONS, POST'],
  ])(
    'a fixed word is never read as an id: %s %s is 405 with the methods of the word',
    async (method, path, allow) => {
      const answer = await http.send(method, path);
      expect(answer).toMatchObject(refused(405, 'METHOD_NOT_ALLOWED'));
      expect(answer.headers.get('allow')).toBe(allow);
    },
  );

  it.each(['/api/memories/no-such-verb', '/api/topics/no-such-verb'])(
    'a POST to %s, which no endpoint has, is 404 and not 405 of an id',
    async (path) => {
      expect(await http.send('POST', path)).toMatchObject(refused(404, 'ROUTE_NOT_FOUND'));
    },
  );

  it('the server refuses a body of null where an object is asked for', async () => {
    const sent = {
      method: 'PUT',
      path: '/api/memories/x',
      headers: { authorization, ...json },
      body: 'null',
    };
    expect((await sendRaw(app.url, sent)).status).toBe(422);
  });

  it('the server responds to HEAD as to GET without a body, and to OPTIONS', async () => {
    const head = await http.send('HEAD', '/api/users/me');
    expect([head.status, head.text]).toEqual([200, '']);
    expect((await http.send('OPTIONS', '/api/apikeys')).status).toBe(204);
  });

  it('the server collapses slashes at the beginning of a path and accepts one at its end', async () => {
    expect(
      (await sendRaw(app.url, { method: 'GET', path: '//api/users/me', headers: { authorization } })).status,
    ).toBe(200);
    expect((await http.get('/api/users/me/')).status).toBe(200);
  });

  it('the server takes empty bodies as none, whatever the content type says', async () => {
    for (const headers of [
      { authorization },
      { authorization, ...json },
      { authorization, 'content-type': 'text/plain' },
    ]) {
      const answer = await sendRaw(app.url, {
        method: 'POST',
        path: '/api/apikeys',
        headers: { ...headers, 'content-length': '0' },
      });
      expect(answer.status, answer.text).toBe(201);
    }
  });

  it('the server reads a JSON body on DELETE', async () => {
    const answer = await http.delete('/api/memories/bulk', { ids: ['x'], confirmDeletion: true });
    expect(answer).toMatchObject({ status: 200, body: { deleted: 0, failed: 1 } });
  });

  it('the server refuses bodies that it cannot read', async () => {
    const send = (rawBody: string, headers: Record<string, string> = json) =>
      http.send('POST', '/api/memories', { rawBody, headers });
    expect(await send('{"content":')).toMatchObject(refused(400, 'BODY_UNREADABLE'));
    expect(await send('<a/>', { 'content-type': 'text/xml' })).toMatchObject(
      refused(415, 'MEDIA_TYPE_UNSUPPORTED'),
    );
    expect(await send(JSON.stringify({ content: 'x'.repeat(300_000) }))).toMatchObject(
      refused(413, 'BODY_TOO_LARGE'),
    );
    expect(await send(`{"content": ${'['.repeat(90_000)}${']'.repeat(90_000)}}`)).toMatchObject({
      status: 422,
    });
    expect(await send('"text"')).toMatchObject(refused(422, 'INPUT_INVALID'));
  });

  it('the server refuses bytes that are no UTF-8, instead of changing them', async () => {
    const rawBody = Buffer.concat([Buffer.from('{"content":"a'), Buffer.from([0xff]), Buffer.from('"}')]);
    const answer = await http.send('POST', '/api/memories', { rawBody, headers: json });
    expect(answer).toMatchObject(refused(400, 'BODY_UNREADABLE'));
  });

  it('the server reads compressed bodies, as large as others, and refuses what it cannot unpack', async () => {
    const send = (rawBody: Buffer<ArrayBuffer>, encoding: string) =>
      http.send('POST', '/api/memories', { rawBody, headers: { ...json, 'content-encoding': encoding } });
    const body = (length: number) => Buffer.from(JSON.stringify({ content: 'x'.repeat(length) }));
    expect((await send(gzipSync(body(100)), 'gzip')).status).toBe(201);
    expect(await send(gzipSync(body(20_000_000)), 'gzip')).toMatchObject(refused(413, 'BODY_TOO_LARGE'));
    expect(await send(body(100), 'gzip')).toMatchObject(refused(400, 'BODY_UNREADABLE'));
    expect(await send(body(100), 'rot13')).toMatchObject(refused(415, 'MEDIA_TYPE_UNSUPPORTED'));
  });

  it('metrics are shown to this machine only, not to whom a proxy on it passes on', async () => {
    expect((await fetch(`${app.url}/metrics`)).status).toBe(200);
    const passedOn = await fetch(`${app.url}/metrics`, { headers: { 'x-forwarded-for': '203.0.113.9' } });
    expect(passedOn.status).toBe(403);
    const rebound = await sendRaw(app.url, {
      method: 'GET',
      path: '/metrics',
      headers: { host: 'evil.example:3000' },
    });
    expect(rebound.status).toBe(403);
    expect(JSON.parse(rebound.text)).toMatchObject({
      code: 'ADDRESS_REFUSED',
      error: expect.stringContaining('MEMORYD_METRICS_PUBLIC'),
    });
  });

  it('a request without Host is refused in the usual form', async () => {
    const connection = await openSocket(app.url);
    connection.write('GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n');
    const text = await connection.received;
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain('"code":"REQUEST_INVALID"');
  });

  it('the page of the interface keeps the key over a reload, has no file that is not there, and names no other host in its policy', async () => {
    const missing = await fetch(`${app.url}/docs/static/nope.js`);
    expect([missing.status, ((await missing.json()) as Refusal).code]).toEqual([404, 'ROUTE_NOT_FOUND']);
    const policy = (await fetch(`${app.url}/docs/`)).headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'self'");
    expect(policy).not.toMatch(/https?:|validator|upgrade-insecure/);
    const start = await (await fetch(`${app.url}/docs/static/swagger-initializer.js`)).text();
    expect(start).toContain('"persistAuthorization":true');
  });

  it('throttled callers cost the store no look-up each, and a new valid key of theirs is let in', async () => {
    const wrong = (i: number) => ({ authorization: `Bearer cmk_live_${String(i).padStart(16, '0')}.wrong` });
    const ask = async (i: number) => (await fetch(`${app.url}/api/memories`, { headers: wrong(i) })).status;
    for (let i = 0; i < 31; i++) await ask(i);
    const check = vi.spyOn(app.services.keys, 'authenticate');
    const statuses = await Promise.all(Array.from({ length: 50 }, (_, i) => ask(100 + i)));
    expect(new Set(statuses)).toEqual(new Set([429]));
    expect(check).not.toHaveBeenCalled();
    check.mockRestore();
    expect((await (await app.newClient()).get('/api/memories')).status).toBe(200);
  });

  it('a clock that is set back does not make a throttled caller wait for days', async () => {
    const now = Date.now();
    const clock = vi.spyOn(Date, 'now');
    const wrong = { authorization: 'Bearer cmk_live_0123456789abcdef.wrong' };
    const ask = async () => (await fetch(`${app.url}/api/memories`, { headers: wrong })).json();
    for (let i = 0; i < 31; i++) await ask();
    clock.mockReturnValue(now - 7 * 24 * 3_600_000);
    const refused = (await ask()) as { code: string; retryAfter: number };
    clock.mockRestore();
    expect(refused.code).toBe('RATE_LIMITED');
    expect(refused.retryAfter).toBeLessThanOrEqual(60);
  });

  it('the server refuses what is not HTTP in the same form', async () => {
    const large = await sendRaw(app.url, {
      method: 'GET',
      path: '/livez',
      headers: { 'x-large': 'x'.repeat(40_000) },
    });
    expect(large.status).toBe(431);
    expect(JSON.parse(large.text)).toMatchObject({
      code: 'HEADERS_TOO_LARGE',
      requestId: expect.any(String),
    });
    const head = await sendRaw(app.url, {
      method: 'HEAD',
      path: '/livez',
      headers: { 'x-large': 'x'.repeat(40_000) },
    });
    expect([head.status, head.text]).toEqual([431, '']);
    const expecting = await sendRaw(app.url, {
      method: 'GET',
      path: '/livez',
      headers: { Expect: 'the unexpected', Connection: 'close' },
    });
    expect(expecting.status).toBe(200);
    const broken = await sendRaw(app.url, {
      method: 'GET',
      path: '/api/memories/%E0%A4%A',
      headers: { authorization },
    });
    expect(broken.status).toBe(400);
    expect(JSON.parse(broken.text)).toMatchObject({ code: 'REQUEST_INVALID' });
  });

  it('the server refuses texts that could not be given back, naming the field', async () => {
    const nul = await http.post<Refusal>('/api/memories', { content: 'a\0b' });
    expect(nul).toMatchObject(refused(422, 'INPUT_INVALID'));
    expect(nul.body.error).toContain('content');
    const half = await http.send<Refusal>('POST', '/api/memories', {
      rawBody: '{"content":"x","topics":["\\ud800"]}',
      headers: json,
    });
    expect(half.body.error).toContain('topics[0]');
    expect((await http.get('/api/memories/search?q=%00')).status).toBe(422);
  });

  it('the server reads numbers and booleans from a URL, and never from a text in a body', async () => {
    expect((await http.get('/api/memories?limit=5')).status).toBe(200);
    const typed = await http.post<Refusal>('/api/memories', { content: 5 });
    expect(typed.body).toMatchObject({ code: 'INPUT_INVALID', error: 'content must be a text' });
  });

  it('the server refuses a member named __proto__ wherever it stands, and leaves prototypes alone', async () => {
    const send = (path: string, rawBody: string) =>
      http.send<Refusal>('POST', path, { rawBody, headers: json });
    for (const [path, body] of [
      ['/api/memories', '{"content":"p","__proto__":{"a":1}}'],
      ['/api/artifacts', '{"content":"p","type":"code","metadata":{"deep":[{"__proto__":{"a":1}}]}}'],
    ]) {
      const { status, body: refused } = await send(path, body);
      expect([status, refused.error]).toEqual([422, 'a member name must not be __proto__']);
    }
    const metadata = { constructor: { prototype: { b: 1 } } };
    const made = await http.post<{ data: { metadata: object } }>('/api/artifacts', {
      content: 'p',
      type: 'code',
      metadata,
    });
    expect([made.status, made.body.data.metadata]).toEqual([201, metadata]);
    expect(({} as Record<string, unknown>).a).toBeUndefined();
  });

  it('the server compresses long responses for clients that ask, and leaves short ones', async () => {
    await http.post('/api/memories', { content: 'long '.repeat(2000) });
    const headers = { authorization, 'accept-encoding': 'gzip' };
    const answer = await fetch(`${app.url}/api/memories`, { headers });
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    expect(((await answer.json()) as { data: unknown[] }).data.length).toBeGreaterThan(0);
    expect((await fetch(`${app.url}/livez`, { headers })).headers.get('content-encoding')).toBeNull();
  });

  it('the server lets browsers of the named origins call, and no others', async () => {
    const allowed = await http.get('/api/users/me', { origin: 'https://app.example' });
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example');
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const headers = { origin: 'https://app.example', 'access-control-request-method': method };
      const asked = await http.send('OPTIONS', '/api/facts/x', { headers });
      expect(asked.headers.get('access-control-allow-methods')?.split(', ')).toContain(method);
    }
    const other = await http.get('/api/users/me', { origin: 'https://evil.example' });
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('the service is described without a key, and shows a page that loads nothing from elsewhere', async () => {
    const document = await fetch(`${app.url}/api/openapi.json?noCache=1`);
    expect([document.status, document.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const page = await (await fetch(`${app.url}/docs/`)).text();
    expect(
      [...page.matchAll(/(?:src|href)="([^"]+)"/g)]
        .map(([, link]) => link)
        .filter((link) => /^(https?:)?\/\//.test(link)),
    ).toEqual([]);
  });

  it('the server answers 503 where health is asked of a store that does not respond, and is still alive', async () => {
    const ping = vi.spyOn(app.services.system.probe, 'ping').mockRejectedValue(new Error('gone: secret'));
    const health = await fetch(`${app.url}/health`);
    expect(health.status).toBe(503);
    const text = await health.text();
    expect(JSON.parse(text)).toMatchObject({ status: 'unhealthy', checks: { store: { status: 'down' } } });
    expect(text).not.toContain('secret');
    expect((await http.get('/api/system/health')).status).toBe(503);
    expect(await (await fetch(`${app.url}/metrics`)).text()).toContain('memoryd_store_up 0');
    expect((await fetch(`${app.url}/livez`)).status).toBe(200);
    ping.mockRestore();
    expect((await fetch(`${app.url}/health`)).status).toBe(200);
  });

  it('the server is alive, healthy and measured by route, never by what was asked', async () => {
    await http.get('/api/memories/search?q=extraordinarysecret');
    expect(await (await fetch(`${app.url}/livez`)).json()).toMatchObject({ status: 'alive' });
    expect(await (await fetch(`${app.url}/health`)).json()).toMatchObject({
      status: 'healthy',
      checks: { store: { status: 'up' } },
    });
    const metrics = await (await fetch(`${app.url}/metrics`)).text();
    expect(metrics).toContain('route="/api/memories/search"');
    expect(metrics).toMatch(/memoryd_search_seconds_count\{method="hybrid"\} [1-9]/);
    expect(metrics).not.toContain('extraordinarysecret');
  });
});
