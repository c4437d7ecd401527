import { createHash, randomBytes } from 'node:crypto';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KeyScope } from '../../src/domain/api-keys/api-key.ts';
import { type PublicResponse, publicRequest } from '../../src/lib/net/public-request.ts';
import { type AppFixture, newAppFixture } from '../support/app-fixture.ts';
import { engines } from '../support/database.ts';
import { client } from '../support/http-client.ts';

const origin = 'https://memory.example.test';
const resource = `${origin}/mcp`;
const claude = 'https://claude.ai/api/mcp/auth_callback';
const chatgpt = 'https://chatgpt.com/connector_platform_oauth_redirect';
const documentUrl = 'https://chatgpt.com/oauth/client.json';

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
  readonly error?: string;
}

const documents: Record<string, object> = {
  [documentUrl]: {
    client_id: documentUrl,
    client_name: 'ChatGPT',
    redirect_uris: [chatgpt],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  },
  'https://evil.example.test/client.json': { client_id: documentUrl, redirect_uris: [chatgpt] },
  'https://claude.ai/oauth/claude-code.json': {
    client_id: 'https://claude.ai/oauth/claude-code.json',
    client_name: 'Claude Code',
    redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
  },
};

async function fetchDocument({ url }: { readonly url: URL }): Promise<PublicResponse> {
  const found = documents[url.href];
  return {
    status: found ? 200 : 404,
    headers: {},
    body: Buffer.from(JSON.stringify(found ?? {})),
    isCut: false,
  };
}

const newVerifier = () => randomBytes(32).toString('base64url');
const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');

/** A client and the browser of its person, at an app whose public address is `origin`. */
function hostOf(url: string) {
  const at = (address: string) => address.replace(origin, url);
  const form = (
    path: string,
    fields: Readonly<Record<string, string>>,
    headers: Record<string, string> = {},
  ) => fetch(url + path, { method: 'POST', body: new URLSearchParams(fields), headers, redirect: 'manual' });
  const register = (body: object) =>
    fetch(`${url}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const authorize = (fields: Readonly<Record<string, string>>) =>
    fetch(`${url}/oauth/authorize?${new URLSearchParams(fields)}`, { redirect: 'manual' });
  const requestOf = (clientId: string, redirect: string, verifier: string, more: object = {}) => ({
    ...{ response_type: 'code', client_id: clientId, redirect_uri: redirect, state: 's1' },
    ...{
      code_challenge: challengeOf(verifier),
      code_challenge_method: 'S256',
      resource,
      scope: 'read write',
    },
    ...more,
  });
  const cookieOf = (response: Response) =>
    response.headers
      .getSetCookie()
      .map((cookie) => cookie.split(';')[0])
      .join('; ');
  /** The person gives a key. @returns the last response, the redirect to the client if all went well */
  const consent = async (begun: Response, key: string, scopes: readonly string[], decision = 'allow') => {
    const cookie = cookieOf(begun);
    const body = new URLSearchParams([
      ['key', key],
      ['decision', decision],
      ...scopes.map((one): [string, string] => ['scope', one]),
    ]);
    const path = at(new URL(begun.headers.get('location') ?? '', origin).href);
    const answer = await fetch(path, { method: 'POST', body, headers: { cookie }, redirect: 'manual' });
    const next = answer.headers.get('location');
    if (next === null) return answer;
    return fetch(at(next), { headers: { cookie }, redirect: 'manual' });
  };
  const page = (begun: Response) =>
    fetch(at(new URL(begun.headers.get('location') ?? '', origin).href), {
      headers: { cookie: cookieOf(begun) },
    });
  const token = async (fields: Readonly<Record<string, string>>) => {
    const response = await form('/oauth/token', fields);
    return { status: response.status, body: (await response.json()) as Tokens };
  };
  const mcp = (bearer: string | undefined, method = 'tools/list', params: object = {}) =>
    fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
  return { form, register, authorize, requestOf, consent, page, token, mcp };
}

describe.each(engines)('OAuth on %s', (engine) => {
  let app: AppFixture;
  let host: ReturnType<typeof hostOf>;
  beforeAll(async () => {
    app = await newAppFixture(engine, { MEMORYD_PUBLIC_URL: origin }, { fetchDocument });
    host = hostOf(app.url);
  });
  afterAll(() => app?.close());

  async function newKey(scopes: readonly KeyScope[] = ['read', 'write']) {
    const user = (await app.storage.users.list())[0] ?? (await newUser());
    return { user, ...(await app.services.keys.create(user, { scopes })) };
  }
  async function newUser() {
    await app.newClient();
    return (await app.storage.users.list())[0];
  }

  /** The whole flow of ChatGPT, to its tokens. */
  async function connect(scopes: readonly KeyScope[] = ['read', 'write']) {
    const { apiKey, keyInfo, user } = await newKey();
    const verifier = newVerifier();
    const begun = await host.authorize(host.requestOf(documentUrl, chatgpt, verifier));
    const back = await host.consent(begun, apiKey, scopes);
    const address = new URL(back.headers.get('location') ?? '');
    const code = address.searchParams.get('code') ?? '';
    const fields = {
      grant_type: 'authorization_code',
      client_id: documentUrl,
      redirect_uri: chatgpt,
      resource,
    };
    return { user, keyInfo, apiKey, verifier, address, code, fields };
  }
  async function connected(scopes?: readonly KeyScope[]) {
    const made = await connect(scopes);
    const { body } = await host.token({ ...made.fields, code: made.code, code_verifier: made.verifier });
    return { ...made, ...body };
  }

  it('a client finds the authorization server from the 401 of /mcp', async () => {
    const refused = await host.mcp(undefined);
    expect(refused.status).toBe(401);
    const challenge = refused.headers.get('www-authenticate') ?? '';
    expect(challenge).toBe(
      `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp", scope="read write"`,
    );
    for (const path of [
      '/.well-known/oauth-protected-resource',
      '/.well-known/oauth-protected-resource/mcp',
    ]) {
      const document = (await (await fetch(app.url + path)).json()) as object;
      expect(document).toMatchObject({ resource, authorization_servers: [origin] });
    }
    for (const path of [
      'oauth-authorization-server',
      'oauth-authorization-server/mcp',
      'openid-configuration',
    ]) {
      const document = await (await fetch(`${app.url}/.well-known/${path}`)).json();
      expect(document).toMatchObject({
        issuer: origin,
        code_challenge_methods_supported: ['S256'],
        client_id_metadata_document_supported: true,
        authorization_response_iss_parameter_supported: true,
      });
    }
  });

  it('claude.ai registers, gets a consent page without a script, and calls tools with the scopes chosen', async () => {
    const { apiKey } = await newKey();
    const registered = await host.register({
      client_name: '<img src=x>Claude',
      redirect_uris: [claude],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_post',
    });
    const client = (await registered.json()) as { client_id: string };
    expect([registered.status, client]).toMatchObject([201, { token_endpoint_auth_method: 'none' }]);
    expect(client).not.toHaveProperty('client_secret');
    const verifier = newVerifier();
    const begun = await host.authorize(host.requestOf(client.client_id, claude, verifier));
    const shown = await host.page(begun);
    const html = await shown.text();
    expect(html).toContain('&lt;img src=x&gt;Claude');
    expect(html).not.toMatch(/<script|<img/);
    expect(shown.headers.get('content-security-policy')).toContain("form-action 'self' https://claude.ai;");
    const wrong = await host.consent(begun, `${apiKey}0`, ['read']);
    expect([wrong.status, await wrong.text()]).toEqual([403, expect.stringContaining('not a valid API key')]);
    const back = await host.consent(begun, apiKey, ['read']);
    const address = new URL(back.headers.get('location') ?? '');
    expect([address.origin + address.pathname, address.searchParams.get('iss')]).toEqual([claude, origin]);
    expect(address.searchParams.get('state')).toBe('s1');
    const { status, body } = await host.token({
      ...{ grant_type: 'authorization_code', client_id: client.client_id, redirect_uri: claude, resource },
      ...{ code: address.searchParams.get('code') ?? '', code_verifier: verifier },
    });
    expect([status, body]).toMatchObject([200, { scope: 'read', token_type: 'Bearer', expires_in: 3600 }]);
    expect((await host.mcp(body.access_token)).status).toBe(200);
    const call = { name: 'remember', arguments: { content: 'not with read alone' } };
    const answer = await (await host.mcp(body.access_token, 'tools/call', call)).text();
    expect(answer).toMatch(/scope/);
    // The rest of the API takes keys alone.
    const headers = { authorization: `Bearer ${body.access_token}` };
    expect((await fetch(`${app.url}/api/memories`, { headers })).status).toBe(401);
  });

  it('ChatGPT connects by its metadata document, refreshes, and ends its grant', async () => {
    const first = await connected();
    expect((await host.mcp(first.access_token)).status).toBe(200);
    const refresh = { grant_type: 'refresh_token', client_id: documentUrl, resource };
    const second = await host.token({ ...refresh, refresh_token: first.refresh_token });
    expect(second).toMatchObject({ status: 200, body: { scope: 'read write' } });
    expect(second.body.refresh_token).not.toBe(first.refresh_token);
    const stored = JSON.stringify(
      await Promise.all(
        ['AccessToken', 'RefreshToken'].map((model) =>
          app.storage.oauth.find(
            model,
            createHash('sha256').update(second.body.access_token).digest('hex'),
            0,
          ),
        ),
      ),
    );
    expect(stored).not.toContain(second.body.access_token);
    await host.form('/oauth/revoke', { token: second.body.refresh_token, client_id: documentUrl });
    const ended = await host.mcp(second.body.access_token);
    expect([ended.status, ended.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('error="invalid_token"'),
    ]);
  });

  it('a program on the machine connects by its document, at whatever port it listens', async () => {
    const id = 'https://claude.ai/oauth/claude-code.json';
    const { apiKey } = await newKey();
    const redirect = 'http://localhost:43117/callback';
    const begun = await host.authorize(host.requestOf(id, redirect, newVerifier()));
    const back = await host.consent(begun, apiKey, ['read']);
    expect(back.headers.get('location')).toMatch(/^http:\/\/localhost:43117\/callback\?code=/);
  });

  it('a replayed refresh token ends all tokens of its grant', async () => {
    const first = await connected();
    const refresh = {
      grant_type: 'refresh_token',
      client_id: documentUrl,
      refresh_token: first.refresh_token,
    };
    const second = await host.token(refresh);
    expect(second.status).toBe(200);
    expect(await host.token(refresh)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    const later = await host.token({ ...refresh, refresh_token: second.body.refresh_token });
    expect(later).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect((await host.mcp(second.body.access_token)).status).toBe(401);
  });

  it('of two refreshes at once with one token, one gets tokens', async () => {
    const { refresh_token: token } = await connected();
    const refresh = { grant_type: 'refresh_token', client_id: documentUrl, refresh_token: token };
    const both = await Promise.all([host.token(refresh), host.token(refresh)]);
    expect(both.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    expect(both.map(({ status }) => status)).toContain(400);
  });

  it('a stolen code is worth nothing to another verifier or another client, nor a second time', async () => {
    const made = await connect();
    const good = { ...made.fields, code: made.code, code_verifier: made.verifier };
    const invalid = { status: 400, body: { error: 'invalid_grant' } };
    expect(await host.token({ ...good, code_verifier: newVerifier() })).toMatchObject(invalid);
    const other = await (await host.register({ redirect_uris: [chatgpt] })).json();
    const { client_id: otherId } = other as { client_id: string };
    expect(await host.token({ ...good, client_id: otherId })).toMatchObject(invalid);
    const used = await connected();
    const again = { ...used.fields, code: used.code, code_verifier: used.verifier };
    expect(await host.token(again)).toMatchObject(invalid);
    expect((await host.mcp(used.access_token)).status).toBe(401);
  });

  it('a wrong audience is refused at the authorization, for the token and by the resource', async () => {
    const verifier = newVerifier();
    const asked = { resource: 'https://other.example.test/mcp' };
    const begun = await host.authorize(host.requestOf(documentUrl, chatgpt, verifier, asked));
    expect(begun.headers.get('location')).toContain('error=invalid_target');
    const made = await connect();
    const good = { ...made.fields, code: made.code, code_verifier: made.verifier };
    expect(await host.token({ ...good, ...asked })).toMatchObject({ body: { error: 'invalid_target' } });
    const { access_token: token } = await connected();
    const { tokens } = app.services.oauth;
    expect(await tokens.authenticate(token, resource)).toBeDefined();
    expect(await tokens.authenticate(token, 'https://other.example.test/mcp')).toBeUndefined();
  });

  it('a request without S256, or to a redirect that is not registered, never leaves this server', async () => {
    const plain = { ...host.requestOf(documentUrl, chatgpt, newVerifier()), code_challenge_method: 'plain' };
    expect((await host.authorize(plain)).headers.get('location')).toContain('error=invalid_request');
    const redirect = 'https://evil.example.test/callback';
    const refused = await host.authorize(host.requestOf(documentUrl, redirect, newVerifier()));
    expect([refused.status, refused.headers.get('location')]).toEqual([400, null]);
    expect(refused.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('a document that names another client, or is not there, makes no client', async () => {
    for (const id of ['https://evil.example.test/client.json', 'https://evil.example.test/none.json']) {
      const refused = await host.authorize(host.requestOf(id, chatgpt, newVerifier()));
      expect([refused.status, refused.headers.get('location')]).toEqual([400, null]);
    }
  });

  it('a revoked key ends its grants at once, and a person may say no', async () => {
    const made = await connected();
    expect((await host.mcp(made.access_token)).status).toBe(200);
    await app.services.keys.revoke(made.user, made.keyInfo.id);
    expect((await host.mcp(made.access_token)).status).toBe(401);
    const refresh = {
      grant_type: 'refresh_token',
      client_id: documentUrl,
      refresh_token: made.refresh_token,
    };
    expect(await host.token(refresh)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    const begun = await host.authorize(host.requestOf(documentUrl, chatgpt, newVerifier()));
    const back = await host.consent(begun, '', [], 'deny');
    expect(back.headers.get('location')).toContain('error=access_denied');
  });

  it('grants are listed and ended by their user, and by nobody else', async () => {
    const made = await connected(['read']);
    const { apiKey } = await app.services.keys.create(made.user, {});
    const http = client(app.url, apiKey);
    const stranger = await app.newClient();
    const { body } = await http.get<{ data: { id: string; keyId: string }[] }>('/api/oauth/grants');
    const grant = body.data.find(({ keyId }) => keyId === made.keyInfo.id);
    expect(grant).toMatchObject({ clientId: documentUrl, clientName: documentUrl, scopes: ['read'] });
    expect(body.data.some(({ id }) => id === made.access_token)).toBe(false);
    expect((await stranger.get('/api/oauth/grants')).body).toEqual({ data: [] });
    const foreign = await stranger.delete(`/api/oauth/grants/${grant?.id}`);
    expect(foreign).toMatchObject({ status: 404, body: { code: 'GRANT_NOT_FOUND' } });
    expect((await host.mcp(made.access_token)).status).toBe(200);
    expect((await http.delete(`/api/oauth/grants/${grant?.id}`)).status).toBe(204);
    expect((await host.mcp(made.access_token)).status).toBe(401);
    const refresh = {
      grant_type: 'refresh_token',
      client_id: documentUrl,
      refresh_token: made.refresh_token,
    };
    expect(await host.token(refresh)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect((await http.delete(`/api/oauth/grants/${grant?.id}`)).status).toBe(404);
  });

  it('no scope is granted that the key lacks, and no page opens without the cookie of its browser', async () => {
    const { apiKey } = await newKey(['read']);
    const begun = await host.authorize(host.requestOf(documentUrl, chatgpt, newVerifier()));
    const refused = await host.consent(begun, apiKey, ['write']);
    expect([refused.status, await refused.text()]).toEqual([
      403,
      expect.stringContaining('at least one scope'),
    ]);
    const path = new URL(begun.headers.get('location') ?? '', app.url).pathname;
    expect((await fetch(app.url + path)).status).toBe(400);
  });

  it('wrong keys on the consent page are limited with failed logins', async () => {
    const begun = await host.authorize(host.requestOf(documentUrl, chatgpt, newVerifier()));
    const statuses = new Set<number>();
    for (let tries = 0; tries < 35; tries++)
      statuses.add((await host.consent(begun, `cmk_live_${tries}.x`, ['read'])).status);
    expect([...statuses]).toEqual([403, 429]);
  });
});

describe.each(engines)('OAuth with the real guard on %s', (engine) => {
  it('a client document on a private address is not fetched, and without the setting nothing is there', async () => {
    let connections = 0;
    const inside = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve));
    const { port } = inside.address() as AddressInfo;
    const tried = async (app: AppFixture) => {
      const host = hostOf(app.url);
      for (const name of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '169.254.169.254', '10.0.0.1']) {
        const id = `https://${name}:${port}/client.json`;
        const refused = await host.authorize(host.requestOf(id, chatgpt, newVerifier()));
        expect([name, refused.status, refused.headers.get('location')]).toEqual([name, 400, null]);
      }
      await app.close();
    };
    await tried(await newAppFixture(engine, { MEMORYD_PUBLIC_URL: origin }));
    expect(connections).toBe(0);
    // Without the guard the same clients reach it.
    const unguarded: typeof publicRequest = (asked) =>
      publicRequest({ ...asked, timeoutMs: 200, allowsPrivate: true });
    await tried(await newAppFixture(engine, { MEMORYD_PUBLIC_URL: origin }, { fetchDocument: unguarded }));
    expect(connections).toBeGreaterThan(0);
    inside.close();
    const off = await newAppFixture(engine);
    expect((await fetch(`${off.url}/.well-known/oauth-protected-resource`)).status).toBe(404);
    expect((await fetch(`${off.url}/mcp`, { method: 'POST' })).headers.get('www-authenticate')).toBe(
      'Bearer',
    );
    await off.close();
  });
});
