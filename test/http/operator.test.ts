import { beforeAll, describe, expect, it, vi } from 'vitest';
import { keyScopes, ownScopes } from '../../src/domain/api-keys/api-key.ts';
import { engines } from '../support/database.ts';
import { type Client, client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

interface KeyReply {
  data: { apiKey?: string; keyInfo: { id: string; scopes: string[]; expiresAt: string | null } };
  meta?: { existing: boolean };
}
interface UserReply {
  data: { id: string; name: string; email: string };
  meta?: { existing: boolean };
}
type Listed<T> = { data: T[]; pagination: { count: number; nextCursor?: string } };

describe.each(engines)('an operator on %s', (engine) => {
  // One of the tests puts the clock on by a minute.
  const app = useApp(engine, { MEMORYD_HANDLER_TIMEOUT_MS: '600000', MEMORYD_LOG_LEVEL: 'info' });
  let operator: Client;
  beforeAll(async () => {
    operator = await app.newClient(keyScopes);
  });

  const newUser = async (name: string) =>
    (await operator.post<UserReply>('/api/operator/users', { name })).body.data;
  const newKey = (name: string, body: object = {}) =>
    operator.post<KeyReply>(`/api/operator/users/${name}/keys`, { label: 'app', ...body });
  const clientOf = async (name: string) => client(app.url, (await newKey(name)).body.data.apiKey);

  it('an operator makes a user once by name, finds them in lists, and shows them', async () => {
    const made = await operator.post<UserReply>('/api/operator/users', {
      name: 'customer-1',
      email: 'a@example.test',
    });
    expect([made.status, made.body.meta]).toEqual([201, undefined]);
    expect(made.body.data).toMatchObject({ name: 'customer-1', email: 'a@example.test' });
    const again = await operator.post<UserReply>('/api/operator/users', {
      name: 'customer-1',
      email: 'b@example.test',
    });
    expect([again.status, again.body]).toEqual([200, { data: made.body.data, meta: { existing: true } }]);
    const both = ['x', 'x'].map(() =>
      operator.post<UserReply>('/api/operator/users', { name: 'customer-2' }),
    );
    const replies = await Promise.all(both);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 201]);
    expect(replies[0].body.data).toEqual(replies[1].body.data);
    const page = await operator.get<Listed<UserReply['data']>>(`/api/operator/users?limit=1`);
    expect(page.body).toMatchObject({ data: [made.body.data], pagination: { limit: 1, offset: 0 } });
    expect(page.body.pagination.count).toBeGreaterThanOrEqual(3);
    expect((await operator.get(`/api/operator/users/customer-1`)).body).toEqual({ data: made.body.data });
  });

  it('an operator follows the list of users by its cursor while users are made', async () => {
    for (const name of ['walk-b', 'walk-d', 'walk-f']) await newUser(name);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const from = cursor === undefined ? '' : `&cursor=${cursor}`;
      const page = await operator.get<Listed<{ name: string }>>(`/api/operator/users?limit=2${from}`);
      expect(page.status).toBe(200);
      seen.push(...page.body.data.map(({ name }) => name));
      cursor = page.body.pagination.nextCursor;
      await newUser(`a${seen.length}`);
    } while (cursor !== undefined);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((name) => name.startsWith('walk-'))).toEqual(['walk-b', 'walk-d', 'walk-f']);
  });

  it('an operator makes a key of a user once by label, with scopes and an expiry, and shows its secret once', async () => {
    const { id } = await newUser('keys-1');
    const made = await newKey('keys-1', { expiresAt: '30d' });
    const { apiKey, keyInfo } = made.body.data;
    expect([made.status, keyInfo.scopes]).toEqual([201, ['read', 'write']]);
    const days = (Date.parse(keyInfo.expiresAt ?? '') - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(30);
    const again = await newKey('keys-1', { scopes: ['admin'] });
    expect([again.status, again.body]).toEqual([200, { data: { keyInfo }, meta: { existing: true } }]);
    const customer = client(app.url, apiKey);
    expect(await customer.get('/api/users/me')).toMatchObject({ status: 200, body: { data: { id } } });
    await operator.post('/api/memories', { content: 'of the operator' });
    expect((await customer.get<Listed<unknown>>('/api/memories')).body.data).toEqual([]);
    const listed = await operator.get<{ data: { id: string }[] }>(`/api/operator/users/keys-1/keys`);
    expect(listed.body.data).toMatchObject([{ id: keyInfo.id }]);
    expect(listed.text).not.toContain(apiKey?.split('.')[1]);
    expect((await operator.delete(`/api/operator/users/keys-1/keys/${keyInfo.id}`)).status).toBe(204);
    expect((await customer.get('/api/users/me')).status).toBe(401);
    const next = await newKey('keys-1');
    expect([next.status, next.body.data.keyInfo.expiresAt]).toEqual([201, null]);
  });

  it('an operator limits the requests a minute of a key, and of no other key or user', async () => {
    await newUser('limited');
    await newUser('unlimited');
    const { apiKey, keyInfo } = (await newKey('limited', { requestsPerMinute: 3 })).body.data;
    const limited = client(app.url, apiKey);
    const others = [
      client(app.url, (await newKey('limited', { label: 'second', requestsPerMinute: 50 })).body.data.apiKey),
      client(app.url, (await newKey('limited', { label: 'third' })).body.data.apiKey),
      await clientOf('unlimited'),
    ];
    const statuses = async (http: Client, count: number) => {
      const replies = await Promise.all(Array.from({ length: count }, () => http.get('/api/users/me')));
      return replies.map(({ status }) => status).toSorted();
    };
    // What the scopes refuse counts, what is public does not.
    expect((await limited.get('/api/apikeys')).status).toBe(403);
    expect((await limited.get('/livez')).status).toBe(200);
    expect(await statuses(limited, 4)).toEqual([200, 200, 429, 429]);
    const refused = await limited.post<{ retryAfter: number; requestId: string }>('/api/memories', {
      content: 'one too many',
    });
    expect(refused).toMatchObject({
      status: 429,
      body: { code: 'RATE_LIMITED', error: 'This key may make 3 requests a minute.' },
    });
    const { retryAfter, requestId } = refused.body;
    expect(Array.from({ length: 60 }, (_, i) => i + 1)).toContain(retryAfter);
    expect(refused.headers.get('retry-after')).toBe(String(retryAfter));
    const line = () => app.log.find((text) => text.includes(requestId) && text.includes('"request"'));
    await expect.poll(line).toContain(keyInfo.id);
    for (const other of others) expect(await statuses(other, 40)).toEqual(Array(40).fill(200));
    const listed = await operator.get<{ data: { label: string }[] }>('/api/operator/users/limited/keys');
    const limits = Object.fromEntries(listed.body.data.map((key) => [key.label, key]));
    expect(limits).toMatchObject({
      app: { requestsPerMinute: 3 },
      second: { requestsPerMinute: 50 },
      third: { requestsPerMinute: null },
    });

    const clock = performance.now.bind(performance);
    const later = vi.spyOn(performance, 'now').mockImplementation(() => clock() + 60_000);
    try {
      // On PostgreSQL the lease of the service has ended by that clock until it is renewed.
      await expect.poll(async () => (await others[2].get('/api/users/me')).status).toBe(200);
      expect(await statuses(limited, 4)).toEqual([200, 200, 200, 429]);
    } finally {
      later.mockRestore();
    }
  });

  it('an operator gets no record of a user or key that is not there, and makes none from what is not known', async () => {
    await newUser('strict');
    await newUser('strict-other');
    const other = (await newKey('strict-other')).body.data.keyInfo.id;
    for (const [method, path, code] of [
      ['GET', '/api/operator/users/nobody', 'USER_NOT_FOUND'],
      ['DELETE', '/api/operator/users/nobody', 'USER_NOT_FOUND'],
      ['GET', '/api/operator/users/nobody/keys', 'USER_NOT_FOUND'],
      ['POST', '/api/operator/users/nobody/keys', 'USER_NOT_FOUND'],
      ['DELETE', '/api/operator/users/nobody/keys/x', 'USER_NOT_FOUND'],
      ['DELETE', '/api/operator/users/strict/keys/x', 'API_KEY_NOT_FOUND'],
      ['DELETE', `/api/operator/users/strict/keys/${other}`, 'API_KEY_NOT_FOUND'],
    ] as const)
      expect(
        await operator.send(method, path, method === 'POST' ? { body: { label: 'x' } } : {}),
      ).toMatchObject({ status: 404, body: { code } });
    for (const [method, path, body, error] of [
      ['POST', '/api/operator/users', { name: 'x', userId: 'y' }, 'userId is not known here'],
      ['POST', '/api/operator/users', { name: '(replaced) 1' }, /^name must be 1 to 64/],
      ['POST', '/api/operator/users', {}, 'name is required'],
      ['POST', '/api/operator/users/strict/keys', { label: 'x', user: 'y' }, 'user is not known here'],
      ['POST', '/api/operator/users/strict/keys', {}, 'label is required'],
      [
        'POST',
        '/api/operator/users/strict/keys',
        { label: 'x', scopes: ['operator'] },
        /^scopes\[0\] must be one of/,
      ],
      [
        'POST',
        '/api/operator/users/strict/keys',
        { label: 'x', expiresAt: 'soon' },
        /^expiresAt must be a time such as/,
      ],
      ...[0, 100_001, 1.5, '60', null].map(
        (requestsPerMinute) =>
          [
            'POST',
            '/api/operator/users/strict/keys',
            { label: 'x', requestsPerMinute },
            /^requestsPerMinute must be /,
          ] as const,
      ),
      ['DELETE', '/api/operator/users/strict?dryRun=true', undefined, 'dryRun is not known here'],
    ] as const) {
      const reply = await operator.send<{ error: string }>(method, path, { body });
      expect([path, reply.status, reply.body.error]).toEqual([
        path,
        422,
        typeof error === 'string' ? error : expect.stringMatching(error),
      ]);
    }
    expect((await operator.get(`/api/operator/users/strict`)).status).toBe(200);
  });

  it('an operator alone manages users: other keys get 403, a wrong one 401, whatever they ask for', async () => {
    await newUser('private');
    const ordinary = await app.newClient(ownScopes);
    const reader = await app.newClient(['read']);
    const keyId = (await newKey('private')).body.data.keyInfo.id;
    for (const [method, path, body] of [
      ['GET', '/api/operator/users'],
      ['POST', '/api/operator/users', { name: 'made-by-others' }],
      ['GET', '/api/operator/users/private'],
      ['DELETE', '/api/operator/users/private'],
      ['GET', '/api/operator/users/private/keys'],
      ['POST', '/api/operator/users/private/keys', { label: 'theirs' }],
      ['DELETE', `/api/operator/users/private/keys/${keyId}`],
    ] as const) {
      const send = (http: Client) => http.send(method, path, { body });
      for (const http of [ordinary, reader])
        expect(await send(http)).toMatchObject({ status: 403, body: { code: 'SCOPE_REQUIRED' } });
      expect((await send(client(app.url))).status).toBe(401);
    }
    expect((await operator.get(`/api/operator/users/made-by-others`)).status).toBe(404);
    expect(
      (await operator.get<{ data: unknown[] }>(`/api/operator/users/private/keys`)).body.data,
    ).toHaveLength(1);
  });

  it('an operator key is made only by an operator key, and only where it is asked for by name', async () => {
    const ordinary = await app.newClient();
    expect(await ordinary.post('/api/apikeys', { scopes: ['operator'] })).toMatchObject({ status: 403 });
    const scopesOf = async (body: object) =>
      (await operator.post<KeyReply>('/api/apikeys', body)).body.data.keyInfo.scopes;
    expect(await scopesOf({})).toEqual(['read', 'write', 'admin']);
    expect(await scopesOf({ scopes: ['operator', 'read'] })).toEqual(['read', 'operator']);
    const brief = await operator.post<KeyReply>('/api/apikeys', { scopes: ['operator'], expiresAt: '1h' });
    const alone = client(app.url, brief.body.data.apiKey);
    expect((await alone.get('/api/memories')).status).toBe(403);
    await newUser('bounded');
    const longer = await alone.post(`/api/operator/users/bounded/keys`, { label: 'x', expiresAt: '2h' });
    expect(longer).toMatchObject({
      status: 422,
      body: { error: expect.stringMatching(/^expiresAt must be no later/) },
    });
    const made = await alone.post<KeyReply>(`/api/operator/users/bounded/keys`, { label: 'x' });
    expect(made.body.data.keyInfo.expiresAt).toBe(brief.body.data.keyInfo.expiresAt);
  });

  it('an operator removes a user at once, whose name is free and whose records are erased in the background', async () => {
    const first = await newUser('leaving');
    const customer = await clientOf('leaving');
    for (const i of [1, 2, 3])
      await customer.post('/api/memories', { content: `quagga ${i}`, topics: ['t'] });
    expect((await operator.delete(`/api/operator/users/leaving`)).status).toBe(204);
    expect((await customer.get('/api/memories')).status).toBe(401);
    expect((await operator.get(`/api/operator/users/leaving`)).status).toBe(404);
    const second = await newUser('leaving');
    expect(second.id).not.toBe(first.id);
    expect((await (await clientOf('leaving')).get<Listed<unknown>>('/api/memories')).body.data).toEqual([]);
    app.startUpkeep();
    await expect.poll(() => app.storage.users.listInactive(), { timeout: 30_000 }).toEqual([]);
    // While jobs run: the service is told of the removal and does not wait for the hour.
    await clientOf('leaving');
    await operator.delete(`/api/operator/users/leaving`);
    await expect.poll(() => app.storage.users.listInactive(), { timeout: 30_000 }).toEqual([]);
    const report = await app.storage.upkeep.check(() => undefined);
    expect(report).toMatchObject({ strays: [], faults: [], unfinishedRemovals: [] });
    const own = (await app.storage.users.list()).find(({ name }) => name.startsWith('user-'));
    expect(own).toBeDefined();
  });

  it('an operator cannot remove their own user', async () => {
    const id = (await operator.get<UserReply>('/api/users/me')).body.data.id;
    const page = await operator.get<Listed<UserReply['data']>>(`/api/operator/users?limit=1000`);
    const own = page.body.data.find((user) => user.id === id)?.name;
    expect(await operator.delete(`/api/operator/users/${own}`)).toMatchObject({
      status: 422,
      body: { error: 'name must not be the user of the calling key' },
    });
  });
});
