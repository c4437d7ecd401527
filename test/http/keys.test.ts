import { beforeAll, describe, expect, it } from 'vitest';
import { keyScopes } from '../../src/domain/api-keys/api-key.ts';
import { engines } from '../support/database.ts';
import { type Client, client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

interface Created {
  data: { apiKey: string; keyInfo: { id: string; prefix: string; label: string } };
}

describe.each(engines)('API keys on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;
  beforeAll(async () => {
    http = await app.newClient();
  });

  it('API keys are made with an optional label, listed without their secret, and revoked at once', async () => {
    const { body, status } = await http.post<Created>('/api/apikeys', { label: 'laptop' });
    expect(status, JSON.stringify(body)).toBe(201);
    const { apiKey, keyInfo } = body.data;
    expect(apiKey.split('.')[0]).toBe(keyInfo.prefix);
    const other = client(app.url, apiKey);
    expect(await other.get('/api/apikeys/debug-user')).toMatchObject({
      status: 200,
      body: { data: { authMethod: 'api_key' } },
    });
    const listed = await http.get('/api/apikeys');
    expect(listed.text).toContain(keyInfo.prefix);
    expect(listed.text).not.toContain(apiKey.split('.')[1]);
    expect((await http.delete(`/api/apikeys/${keyInfo.id}`)).status).toBe(204);
    expect((await other.get('/api/users/me')).status).toBe(401);
    expect(await http.delete(`/api/apikeys/${keyInfo.id}`)).toMatchObject({
      status: 404,
      body: { code: 'API_KEY_NOT_FOUND' },
    });
  });

  it('API keys have a label where none was sent', async () => {
    const { body } = await http.post<Created>('/api/apikeys', {});
    expect(body.data.keyInfo.label).not.toBe('');
  });

  it('API keys are not made from a body or a query with a name that is not known', async () => {
    const before = (await http.get<{ data: unknown[] }>('/api/apikeys')).body.data.length;
    for (const [query, stray, error] of [
      ['', { userId: 'x' }, 'userId is not known here'],
      ['', { user: 'user-42' }, 'user is not known here'],
      ['', { lable: 'x' }, 'lable is not known here; did you mean label?'],
      ['?userId=x', {}, 'userId is not known here'],
    ] as const)
      expect(await http.post(`/api/apikeys${query}`, { label: 'user-42', ...stray })).toMatchObject({
        status: 422,
        body: { code: 'INPUT_INVALID', error },
      });
    expect((await http.get<{ data: unknown[] }>('/api/apikeys')).body.data).toHaveLength(before);
  });

  it('API keys expire, and cannot be made expired', async () => {
    expect(await http.post('/api/apikeys', { expiresAt: '2020-01-01' })).toMatchObject({
      status: 422,
      body: { error: 'expiresAt must be in the future' },
    });
    const soon = new Date(Date.now() + 1500).toISOString();
    const { body } = await http.post<Created>('/api/apikeys', { expiresAt: soon });
    const brief = client(app.url, body.data.apiKey);
    await expect.poll(async () => (await brief.get('/api/users/me')).status).toBe(401);
  });

  it('API keys do what their scopes say', async () => {
    const reader = await app.newClient(['read']);
    expect((await reader.get('/api/memories')).status).toBe(200);
    expect((await reader.post('/api/memories/search', { query: 'x' })).status).toBe(200);
    for (const refused of [
      await reader.post('/api/memories', { content: 'x' }),
      await reader.get('/api/apikeys'),
      await reader.delete('/api/memories/bulk', { ids: ['x'], confirmDeletion: true }),
    ]) {
      expect(refused).toMatchObject({ status: 403, body: { code: 'SCOPE_REQUIRED' } });
    }
  });

  it('API keys grant at most what the key that makes them may do, and for at most as long', async () => {
    const in5Minutes = new Date(Date.now() + 300_000).toISOString();
    const maker = await http.post<Created>('/api/apikeys', {
      scopes: ['admin', 'read'],
      expiresAt: in5Minutes,
    });
    const brief = client(app.url, maker.body.data.apiKey);
    const own = { scopes: ['read', 'admin'], expiresAt: in5Minutes };
    expect((await brief.post('/api/apikeys')).body).toMatchObject({ data: { keyInfo: own } });
    const less = { scopes: ['read'], expiresAt: new Date(Date.now() + 60_000).toISOString() };
    expect((await brief.post('/api/apikeys', less)).body).toMatchObject({ data: { keyInfo: less } });
    expect(await brief.post('/api/apikeys', { scopes: ['read', 'write'] })).toMatchObject({
      status: 403,
      body: { code: 'SCOPE_REQUIRED' },
    });
    expect(await brief.post('/api/apikeys', { expiresAt: '9999-12-31' })).toMatchObject({
      status: 422,
      body: { error: `expiresAt must be no later than that of the key that makes it, ${in5Minutes}` },
    });
    const lasting = await http.post('/api/apikeys', { scopes: ['read', 'write'] });
    expect(lasting.body).toMatchObject({ data: { keyInfo: { scopes: ['read', 'write'], expiresAt: null } } });
  });

  it('API keys with a limit make keys of at most that limit', async () => {
    expect((await http.post<Created>('/api/apikeys', {})).body.data.keyInfo).toMatchObject({
      requestsPerMinute: null,
    });
    const limit = { requestsPerMinute: 50 };
    const operator = await app.newClient(keyScopes);
    const body = { scopes: keyScopes, ...limit };
    const maker = client(app.url, (await operator.post<Created>('/api/apikeys', body)).body.data.apiKey);
    await operator.post('/api/operator/users', { name: 'of-limited' });
    for (const path of ['/api/apikeys', '/api/operator/users/of-limited/keys']) {
      const make = async (label: string, fields: object) =>
        (await maker.post<Created & { error: string }>(path, { label, ...fields })).body;
      expect((await make('none', {})).data.keyInfo).toMatchObject(limit);
      expect((await make('less', { requestsPerMinute: 49 })).data.keyInfo).toMatchObject({
        requestsPerMinute: 49,
      });
      expect((await make('more', { requestsPerMinute: 51 })).error).toBe(
        'requestsPerMinute must be at most that of the key that makes it, 50',
      );
    }
    for (const requestsPerMinute of [0, -1, 100_001, 1.5, 'x', null])
      expect(await http.post('/api/apikeys', { requestsPerMinute })).toMatchObject({
        status: 422,
        body: { code: 'INPUT_INVALID', error: expect.stringMatching(/^requestsPerMinute must be /) },
      });
  });

  it('API keys of any scope may ask who they belong to', async () => {
    for (const scope of ['read', 'write', 'admin'] as const) {
      const { body } = await http.post<Created>('/api/apikeys', { scopes: [scope] });
      const key = client(app.url, body.data.apiKey);
      expect((await key.get('/api/users/me')).status).toBe(200);
      expect(await key.get('/api/apikeys/debug-user')).toMatchObject({
        status: 200,
        body: { data: { scopes: [scope] } },
      });
    }
  });

  it('API keys are listed with a last use that was just now', async () => {
    const { body } = await http.post<Created>('/api/apikeys', { label: 'just used' });
    const used = await client(app.url, body.data.apiKey).get<{
      data: { label: string; createdAt: string; lastUsedAt: string | null }[];
    }>('/api/apikeys');
    const own = used.body.data.find(({ label }) => label === 'just used');
    expect(Date.parse(own?.lastUsedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(own?.createdAt ?? ''));
  });

  it('API keys of another user are unknown', async () => {
    const { body } = await (await app.newClient()).post<Created>('/api/apikeys', {});
    expect((await http.delete(`/api/apikeys/${body.data.keyInfo.id}`)).status).toBe(404);
  });

  it('API keys are guessed only so often from one address, while a valid one always passes', async () => {
    const statuses = [];
    for (let i = 0; i < 40; i++)
      statuses.push((await client(app.url, `cmk_live_x${i}.y`).get('/api/users/me')).status);
    expect(statuses[0]).toBe(401);
    expect(statuses.at(-1)).toBe(429);
    expect((await http.get('/api/users/me')).status).toBe(200);
  });
});
