import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createServices } from '../../src/container.ts';
import { signedHeaders } from '../../src/domain/webhooks/signature.ts';
import { retryWaitsMs } from '../../src/domain/webhooks/webhook.ts';
import { type AppFixture, newAppFixture } from '../support/app-fixture.ts';
import { engines } from '../support/database.ts';
import type { Client } from '../support/http-client.ts';
import { poll } from '../support/poll.ts';
import { testConfig } from '../support/test-config.ts';

interface Data<T> {
  readonly data: T;
}
interface Hook {
  readonly id: string;
  readonly secret: string;
}
interface Delivery {
  readonly id: string;
  readonly state: string;
  readonly body: string;
  readonly attempts: number;
  readonly lastStatus?: number;
  readonly lastError?: string;
}
interface Got {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver that answers each path as it is told. */
async function newReceiver() {
  const got: Got[] = [];
  const statuses = new Map<string, number>();
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const path = request.url ?? '';
      got.push({ path, headers: request.headers, body });
      response.writeHead(statuses.get(path) ?? 204, { location: 'http://127.0.0.1:1/' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: (path: string) => `http://127.0.0.1:${port}${path}`,
    of: (path: string) => got.filter((one) => one.path === path),
    answer: (path: string, status: number) => statuses.set(path, status),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

describe('signatures of webhooks', () => {
  it('the signature of a webhook is that of the specification', () => {
    // The example of github.com/standard-webhooks/standard-webhooks, spec/standard-webhooks.md.
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}' };
    expect(signedHeaders({ secret }, message, 1_614_265_330_999)).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });
});

describe.each(engines)('webhooks on %s', (engine) => {
  let app: AppFixture;
  let receiver: Awaited<ReturnType<typeof newReceiver>>;
  let now = Date.parse('2026-11-28T12:00:00Z');
  beforeAll(async () => {
    receiver = await newReceiver();
    const settings = { MEMORYD_WEBHOOKS_PRIVATE: 'true' };
    app = await newAppFixture(engine, settings, { clock: { now: () => now } });
    app.startUpkeep();
  });
  afterAll(async () => {
    await app.close();
    receiver.close();
  });

  const create = async (http: Client, path: string, more: object = {}) => {
    const { status, text, body } = await http.post<Data<Hook>>('/api/webhooks', {
      url: receiver.url(path),
      ...more,
    });
    expect(status, text).toBe(201);
    return body.data;
  };
  const write = async (http: Client, content: string) =>
    (await http.post<Data<{ id: string }>>('/api/memories', { content, conversationId: 'NEW' })).body.data.id;
  const deliveries = async (http: Client, id: string, query = '') =>
    (await http.get<Data<Delivery[]>>(`/api/webhooks/${id}/deliveries${query}`)).body.data;
  const changesIn = (body: string) =>
    (JSON.parse(body).data.changes as { kind: string; action: string; id: string }[]).map(
      ({ kind, action, id }) => `${kind} ${action} ${id}`,
    );
  const metric = async (name: string) => {
    const text = await (await fetch(`${app.url}/metrics`)).text();
    const line = text.split('\n').find((one) => one.startsWith(`${name} `));
    return Number(line?.split(' ')[1]);
  };
  const arrived = (path: string, count: number) =>
    poll(`${count} messages at ${path}`, async () =>
      receiver.of(path).length >= count ? receiver.of(path) : undefined,
    );

  it('a webhook gets the changes of its user that it asks for, in order, signed, and no other', async () => {
    const http = await app.newClient();
    const other = await app.newClient();
    await write(http, 'Before the webhook.');
    const path = `/requested-${engine}`;
    const hook = await create(http, path, { kinds: ['memory'], actions: ['created', 'deleted'] });
    const first = await write(http, 'The first.');
    await write(other, 'Of somebody else.');
    await http.put(`/api/memories/${first}`, { content: 'The first, changed.' });
    const second = await write(http, 'The second.');
    await http.delete(`/api/memories/${first}`);
    const requested = [`memory created ${first}`, `memory created ${second}`, `memory deleted ${first}`];
    await poll('all changes', async () => {
      const seen = receiver.of(path).flatMap(({ body }) => changesIn(body));
      return seen.length >= requested.length ? true : undefined;
    });
    const messages = receiver.of(path);
    expect(messages.flatMap(({ body }) => changesIn(body))).toEqual(requested);
    for (const { headers, body } of messages) {
      expect(JSON.parse(body)).toMatchObject({ type: 'changes', data: { webhookId: hook.id } });
      const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
      const key = Buffer.from(hook.secret.replace('whsec_', ''), 'base64');
      const signature = createHmac('sha256', key).update(signed).digest('base64');
      expect(headers['webhook-signature']).toBe(`v1,${signature}`);
      expect(headers['user-agent']).toMatch(/^memoryd-webhooks\//);
    }
    const states = await poll('the outcomes', async () => {
      const all = await deliveries(http, hook.id);
      return all.every(({ state }) => state !== 'waiting') ? all : undefined;
    });
    expect(states.map(({ state, lastStatus }) => [state, lastStatus])).toEqual(
      messages.map(() => ['delivered', 204]),
    );
  });

  it('a message that is refused is sent again later, others wait for it, and it ends as a dead letter', async () => {
    const http = await app.newClient();
    const path = `/refusing-${engine}`;
    receiver.answer(path, 500);
    const hook = await create(http, path);
    await write(http, 'Never taken.');
    await arrived(path, 1);
    for (const [index, waitMs] of retryWaitsMs.entries()) {
      await poll('the outcome', async () =>
        (await deliveries(http, hook.id, '?state=waiting'))[0]?.attempts === index + 1 ? true : undefined,
      );
      if (index === 0) await write(http, 'Behind it.');
      if (index === 1) {
        const { body } = await http.get<Data<object>>('/api/system/context/status');
        const waitingSince = new Date(now - retryWaitsMs[0]).toISOString();
        expect(body.data).toMatchObject({ webhooks: { waiting: 1, dead: 0, waitingSince } });
        expect(await metric('memoryd_webhook_messages{state="waiting"}')).toBe(1);
        expect(await metric('memoryd_webhook_waiting_seconds')).toBe(retryWaitsMs[0] / 1000);
      }
      now += waitMs;
      await arrived(path, index + 2);
    }
    const dead = await poll('a dead letter', async () => {
      const found = await deliveries(http, hook.id, '?state=dead');
      return found.length > 0 ? found : undefined;
    });
    expect(dead).toHaveLength(1);
    expect(await metric('memoryd_webhook_messages{state="dead"}')).toBe(1);
    expect(dead[0]).toMatchObject({
      attempts: retryWaitsMs.length + 1,
      lastStatus: 500,
      lastError: 'status 500',
    });
    const ids = new Set(receiver.of(path).map(({ headers }) => headers['webhook-id']));
    // The next message follows only now.
    expect([...ids].slice(0, 1)).toEqual([dead[0].id]);
    const status = await http.get<Data<{ background: { task: string }[]; webhooks: object }>>(
      '/api/system/context/status',
    );
    expect(status.body.data.background.map(({ task }) => task)).toContain('webhooks');
    expect(status.body.data.webhooks).toMatchObject({ dead: 1 });
    const other = await (await app.newClient()).get<Data<object>>('/api/system/context/status');
    expect(other.body.data).toMatchObject({ webhooks: { waiting: 0, dead: 0 } });

    receiver.answer(path, 200);
    const url = `/api/webhooks/${hook.id}/deliveries/${dead[0].id}/redeliver`;
    const again = await http.post<Data<Delivery>>(url, {}, { 'idempotency-key': `again-${hook.id}` });
    expect(again.body.data).toMatchObject({ state: 'waiting', attempts: 0 });
    expect((await http.post(url, {}, { 'idempotency-key': `again-${hook.id}` })).body).toEqual(again.body);
    now += retryWaitsMs[0];
    await poll('both arrived', async () => {
      const all = await deliveries(http, hook.id);
      return all.every(({ state }) => state === 'delivered') && all.length > 1 ? true : undefined;
    });
  });

  it('a test is a message of no changes; a redirect is not followed', async () => {
    const http = await app.newClient();
    const path = `/tested-${engine}`;
    const hook = await create(http, path, { label: 'tested' });
    const { status, body } = await http.post<Data<Delivery>>(`/api/webhooks/${hook.id}/test`, {});
    expect([status, body.data.state]).toEqual([202, 'waiting']);
    const [message] = await arrived(path, 1);
    expect(JSON.parse(message.body)).toMatchObject({ type: 'ping', data: { webhookId: hook.id } });
    expect(message.headers['webhook-id']).toBe(body.data.id);
    receiver.answer(path, 302);
    await http.post(`/api/webhooks/${hook.id}/test`, {});
    const refused = await poll('the refusal', async () =>
      (await deliveries(http, hook.id, '?state=waiting')).find(({ attempts }) => attempts > 0),
    );
    expect(refused).toMatchObject({ lastStatus: 302, lastError: 'status 302' });
  });

  it('webhooks are listed without secrets, deleted with their deliveries, bounded, and of their user alone', async () => {
    const http = await app.newClient();
    const other = await app.newClient();
    const hook = await create(http, `/listed-${engine}`, { label: 'mine', kinds: ['fact'] });
    const listed = (await http.get<Data<object[]>>('/api/webhooks')).body.data;
    expect(listed).toEqual([
      {
        ...{ id: hook.id, url: receiver.url(`/listed-${engine}`), label: 'mine', kinds: ['fact'] },
        createdAt: expect.any(String),
      },
    ]);
    expect((await http.get<Data<Hook>>(`/api/webhooks/${hook.id}`)).body.data.secret).toBe(hook.secret);
    await http.post(`/api/webhooks/${hook.id}/test`, {});
    const [{ id: sent }] = await deliveries(http, hook.id);
    const unknown = '00000000-0000-4000-8000-000000000000';
    const foreign = [
      await other.get(`/api/webhooks/${hook.id}`),
      await other.get(`/api/webhooks/${hook.id}/deliveries`),
      await other.delete(`/api/webhooks/${hook.id}`),
      await other.post(`/api/webhooks/${hook.id}/test`, {}),
      await other.post(`/api/webhooks/${hook.id}/deliveries/${sent}/redeliver`, {}),
    ];
    const absent = [
      await other.get(`/api/webhooks/${unknown}`),
      await other.get(`/api/webhooks/${unknown}/deliveries`),
      await other.delete(`/api/webhooks/${unknown}`),
      await other.post(`/api/webhooks/${unknown}/test`, {}),
      await other.post(`/api/webhooks/${unknown}/deliveries/${sent}/redeliver`, {}),
    ];
    const plain = ({ status, text }: { status: number; text: string }) =>
      `${status} ${text.replace(/"requestId":"[^"]*"/, '')}`;
    expect(foreign.map(plain)).toEqual(absent.map(plain));
    expect(foreign.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    expect((await http.delete(`/api/webhooks/${hook.id}`)).status).toBe(204);
    expect((await http.get(`/api/webhooks/${hook.id}/deliveries`)).status).toBe(404);
    for (let n = 0; n < 20; n++) await create(other, `/many-${engine}-${n}`);
    const { status, body } = await other.post('/api/webhooks', { url: receiver.url('/more') });
    expect([status, body.code]).toEqual([409, 'WEBHOOKS_TOO_MANY']);
    const weak = await app.newClient(['read', 'write']);
    expect((await weak.get('/api/webhooks')).status).toBe(403);
  });

  it('a repeated create with an Idempotency-Key makes one webhook', async () => {
    const http = await app.newClient();
    const send = () =>
      http.post<Data<Hook>>('/api/webhooks', { url: receiver.url('/once') }, { 'idempotency-key': 'once' });
    expect((await send()).body).toEqual((await send()).body);
    expect((await http.get<Data<object[]>>('/api/webhooks')).body.data).toHaveLength(1);
  });

  it('deliveries that wait are sent by the next process', async () => {
    const http = await app.newClient();
    const path = `/restarted-${engine}`;
    receiver.answer(path, 503);
    const hook = await create(http, path);
    await write(http, 'Kept over a restart.');
    await arrived(path, 1);
    await poll('the outcome', async () =>
      (await deliveries(http, hook.id, '?state=waiting'))[0]?.attempts === 1 ? true : undefined,
    );
    await app.services.jobs.stop();
    receiver.answer(path, 200);
    now += retryWaitsMs[0];
    const before = receiver.of(path).length;
    const settings = { MEMORYD_WEBHOOKS_PRIVATE: 'true', MEMORYD_DATABASE_URL: app.databaseUrl };
    const next = createServices(testConfig(settings), app.storage, { now: () => now });
    next.jobs.start();
    const messages = await arrived(path, before + 1);
    await next.close();
    expect(messages.at(-1)?.headers['webhook-id']).toBe(messages[0].headers['webhook-id']);
  });
});

describe.each(engines)('addresses of webhooks on %s', (engine) => {
  let app: AppFixture;
  beforeAll(async () => {
    app = await newAppFixture(engine);
  });
  afterAll(() => app.close());

  it('a webhook may not lead to this machine, a private network, without TLS or with a password', async () => {
    const http = await app.newClient();
    const refused = [
      ...['http://example.com/', 'https://127.0.0.1/', 'https://localhost/', 'https://[::1]:8443/'],
      ...['https://10.0.0.1/', 'https://169.254.169.254/latest', 'https://2130706433/', 'https://0x7f.1/'],
      ...['https://[::ffff:10.0.0.1]/', 'https://a:b@example.com/', 'ftp://example.com/', 'no url', ''],
    ];
    for (const url of refused) expect((await http.post('/api/webhooks', { url })).status, url).toBe(422);
    expect((await http.post('/api/webhooks', { url: 'https://example.com/hook#x' })).status).toBe(201);
    expect(
      (await http.post('/api/webhooks', { url: 'https://example.com/', kinds: ['nothing'] })).status,
    ).toBe(422);
    const { data } = (await http.get<Data<{ url: string }[]>>('/api/webhooks')).body;
    expect(data.map(({ url }) => url)).toEqual(['https://example.com/hook']);
  });
});
