import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { FairTurns } from '../../src/http/load/fair-turns.ts';
import { type AppFixture, newAppFixture } from '../support/app-fixture.ts';
import { engines } from '../support/database.ts';
import { client as httpClient } from '../support/http-client.ts';
import { connectMcp } from '../support/mcp-client.ts';
import { poll } from '../support/poll.ts';

const accept = { accept: 'application/json, text/event-stream' };
const message = (method: string, params: unknown = {}) => ({ jsonrpc: '2.0', id: 7, method, params });
const initialize = message('initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'raw', version: '1' },
});
const callOf = (name: unknown, args: unknown = {}) => message('tools/call', { name, arguments: args });

interface RpcReply {
  readonly id: unknown;
  readonly result?: { readonly isError?: boolean; readonly tools?: { name: string }[] };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: { code: string } };
}

describe.each(engines)('The MCP endpoint over %s', (engine) => {
  let app: AppFixture;

  beforeAll(async () => {
    app = await newAppFixture(engine, {
      MEMORYD_LOG_LEVEL: 'info',
      MEMORYD_MCP_BODY_BYTES_MAX: '20000',
    });
  });
  afterAll(() => app.close());

  const newRaw = async (scopes?: ('read' | 'write')[]) => {
    const user = await app.newClient(scopes);
    const post = (body: unknown, headers: Record<string, string> = {}) =>
      user.post<RpcReply>('/mcp', body, { ...accept, ...headers });
    const begin = async () => (await post(initialize)).headers.get('mcp-session-id') ?? '';
    return { user, post, begin };
  };

  it('the MCP endpoint serves a client without a session as well as one with', async () => {
    const { post, begin } = await newRaw();
    const stateless = await post(callOf('topics'));
    expect(stateless.status).toBe(200);
    expect(stateless.body.id).toBe(7);
    const session = await begin();
    expect(session).toMatch(/^[0-9a-f-]{36}$/);
    expect((await post(callOf('topics'), { 'mcp-session-id': session })).body.result).toBeDefined();
    expect((await post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202);
  });

  it('the MCP endpoint keeps no session: its id groups what one client stores, of each user alone, and no other id is taken', async () => {
    const [{ user, post, begin }, other] = [await newRaw(), await newRaw()];
    const [session, second] = [await begin(), await begin()];
    const store = async (id: string, by = post) => {
      const { body } = await by(callOf('remember', { content: `Stored in ${id}.` }), {
        'mcp-session-id': id,
      });
      return (body.result as { structuredContent: { conversationId: string } }).structuredContent
        .conversationId;
    };
    const conversation = await store(session);
    expect(await store(second)).not.toBe(conversation);
    expect(await store(session)).toBe(conversation);
    expect(await store(session, other.post)).not.toBe(conversation);
    const gone = await post(callOf('topics'), { 'mcp-session-id': 'of another service' });
    expect([gone.status, gone.body.id]).toEqual([404, 7]);
    expect(gone.body.error?.message).toContain('session expired');
    expect((await post(initialize, { 'mcp-session-id': session })).status).toBe(200);
    for (const refused of [await user.get('/mcp', accept), await user.delete('/mcp')])
      expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'OPTIONS, POST']);
  });

  it('the MCP endpoint refuses what is wrong with a call as an error of the protocol, with a sentence', async () => {
    const { post } = await newRaw();
    const sentenceOf = async (body: unknown) => {
      const { status, body: reply } = await post(body);
      expect(status).toBe(200);
      return [reply.error?.code, reply.error?.message];
    };
    expect(await sentenceOf(callOf('serch'))).toEqual([
      -32602,
      expect.stringContaining('Did you mean search?'),
    ]);
    expect(await sentenceOf(callOf('x'.repeat(5000)))).toEqual([
      -32602,
      expect.stringContaining('There are recall'),
    ]);
    expect(await sentenceOf(callOf('remember'))).toEqual([
      -32602,
      expect.stringContaining('content is required.'),
    ]);
    expect(await sentenceOf(callOf('remember', { content: 'a', tags: [] }))).toEqual([
      -32602,
      expect.stringContaining('remember has no argument "tags"; it has content, topics'),
    ]);
    expect(await sentenceOf(callOf('search', { query: 'a', limit: '5' }))).toEqual([
      -32602,
      expect.stringContaining('limit must be a whole number.'),
    ]);
    expect(await sentenceOf(callOf('remember', { content: 'a\u0000b' }))).toEqual([
      -32602,
      expect.stringContaining('content must not contain the NUL character'),
    ]);
    expect(await sentenceOf(callOf('search', { query: 'a', maxTokens: 10 }))).toEqual([
      -32602,
      expect.stringContaining('maxTokens must be 300 or more.'),
    ]);
    expect(await sentenceOf(message('no/method'))).toEqual([-32601, 'Method not found']);
    expect(await sentenceOf(message('prompts/get', { name: 'x' }))).toEqual([
      -32602,
      expect.stringContaining('there are start_work, end_work'),
    ]);
  });

  it('the MCP endpoint lets a key with the scope read find, and not store', async () => {
    const { post } = await newRaw(['read']);
    expect((await post(callOf('search', { query: 'a' }))).body.result?.isError).toBeUndefined();
    for (const name of ['remember', 'update', 'forget', 'link', 'create_memory', 'manage_memory']) {
      const { body } = await post(callOf(name, { content: 'a' }));
      expect(body.error?.message).toContain(
        `${name} needs an API key with the scope write; this one has read.`,
      );
    }
  });

  it('the MCP endpoint refuses requests that cannot be read, or come without a key, as JSON-RPC errors', async () => {
    const { user, post } = await newRaw();
    const large = await post(callOf('remember', { content: 'x'.repeat(30_000) }));
    expect([large.status, large.body.error?.data?.code]).toEqual([413, 'BODY_TOO_LARGE']);
    const broken = await user.send<RpcReply>('POST', '/mcp', { rawBody: '{"jsonrpc":', headers: accept });
    expect([broken.status, broken.body.error?.code]).toEqual([400, -32700]);
    const keyless = await httpClient(app.url).post<RpcReply>('/mcp', initialize, accept);
    expect([keyless.status, keyless.body.error?.message]).toEqual([401, expect.stringContaining('API key')]);
    const many = await post(Array.from({ length: 21 }, () => callOf('topics')));
    expect([many.status, many.body.error?.message]).toEqual([422, 'the body must have 1 to 20 messages']);
    for (const body of [
      [],
      {},
      'text',
      5,
      null,
      [{}],
      { jsonrpc: '2.0', id: {}, method: 'x' },
      callOf(5),
      callOf('search', 'x'),
    ]) {
      const { status, body: reply } = await post(body);
      expect(status).toBeLessThan(500);
      expect(JSON.stringify(reply)).toContain('error');
    }
    const page = await post(initialize, { origin: 'https://evil.example' });
    expect([page.status, page.body.error?.data?.code]).toEqual([403, 'ADDRESS_REFUSED']);
    expect(page.body.error?.message).toContain('MEMORYD_CORS_ORIGINS');
    expect((await post(initialize, { origin: 'http://localhost:5173' })).status).toBe(200);
    const version = await post(callOf('topics'), { 'mcp-protocol-version': '1999-01-01' });
    expect(version.status).toBe(400);
  });

  it('the MCP endpoint serves messages of 2026-07-28, which carry their version, and says what is wrong with their headers', async () => {
    const { post } = await newRaw();
    const of2026 = (method: string, params: Record<string, unknown> = {}) =>
      message(method, {
        ...params,
        _meta: { [`${own}protocolVersion`]: '2026-07-28', [`${own}clientCapabilities`]: {} },
      });
    const headersOf = (method: string, name?: string) => ({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(name !== undefined && { 'mcp-name': name }),
    });
    const own = 'io.modelcontextprotocol/';
    const found = await post(of2026('server/discover'), headersOf('server/discover'));
    expect(found.status).toBe(200);
    expect(found.headers.get('mcp-session-id')).toBeNull();
    expect(found.body.result).toMatchObject({
      resultType: 'complete',
      supportedVersions: expect.arrayContaining(['2026-07-28']),
      instructions: expect.stringContaining('long-term memory'),
      _meta: { [`${own}serverInfo`]: { name: 'memoryd' } },
    });
    const listed = await post(of2026('tools/list'), headersOf('tools/list'));
    expect(listed.body.result).toMatchObject({
      resultType: 'complete',
      ttlMs: 3_600_000,
      cacheScope: 'private',
    });
    const call = of2026('tools/call', { name: 'topics', arguments: {} });
    const called = await post(call, headersOf('tools/call', 'topics'));
    expect(called.body.result).toMatchObject({ resultType: 'complete', structuredContent: { topics: [] } });
    for (const [headers, said] of [
      [headersOf('tools/call'), 'Mcp-Name'],
      [headersOf('tools/call', 'search'), 'Mcp-Name'],
      [headersOf('tools/list', 'topics'), 'method'],
      [{ ...headersOf('tools/call', 'topics'), 'mcp-protocol-version': '2025-11-25' }, 'version'],
    ] as const) {
      const refused = await post(call, headers);
      expect([refused.status, refused.body.error?.message]).toEqual([400, expect.stringContaining(said)]);
    }
    const unknown = await post(of2026('no/method'), headersOf('no/method'));
    expect([unknown.status, unknown.body.error?.code]).toEqual([404, -32601]);
    const gone = { uri: 'memoryd://named/nothing' };
    const read = await post(of2026('resources/read', gone), headersOf('resources/read', gone.uri));
    expect(read.body.error?.message).toBe('No such memory.');
    const filter = { notifications: { toolsListChanged: true } };
    const changes = await post(of2026('subscriptions/listen', filter), headersOf('subscriptions/listen'));
    expect(changes.headers.get('content-type')).toBe('text/event-stream');
    expect(changes.text).toContain('notifications/subscriptions/acknowledged');
  });

  it('the MCP endpoint does the calls of a batch one after another, each in a turn of its own', async () => {
    const { post } = await newRaw();
    const happened: string[] = [];
    const { search } = app.services;
    const searched = search.search.bind(search);
    vi.spyOn(search, 'search').mockImplementation(async (user, request) => {
      happened.push(`${request.query} begins`);
      await nextTurn();
      const found = await searched(user, request);
      happened.push(`${request.query} ends`);
      return found;
    });
    const turns = vi.spyOn(FairTurns.prototype, 'add');
    const batch = ['a', 'b', 'c'].map((query, id) => ({ ...callOf('search', { query }), id }));
    const { body } = await post(batch);
    expect((body as unknown as RpcReply[]).map(({ id, result }) => [id, result?.isError])).toEqual([
      [0, undefined],
      [1, undefined],
      [2, undefined],
    ]);
    expect(happened).toEqual(['a', 'b', 'c'].flatMap((query) => [`${query} begins`, `${query} ends`]));
    expect(turns).toHaveBeenCalledTimes(3);
    vi.restoreAllMocks();
  });

  it('the MCP endpoint lists the known names to clients that ask for them, and serves them to all', async () => {
    const { user, post } = await newRaw();
    const names = async (path: string, headers = {}) => {
      const { body } = await user.post<RpcReply>(path, message('tools/list'), { ...accept, ...headers });
      return body.result?.tools?.map(({ name }) => name) ?? [];
    };
    expect(await names('/mcp')).not.toContain('create_memory');
    for (const listed of [
      await names('/mcp?tools=all'),
      await names('/mcp', { 'x-mx-client': 'mx-cli/1' }),
    ]) {
      expect(listed).toEqual(expect.arrayContaining(['search', 'build_context', 'create_memory', 'recall']));
      expect(new Set(listed).size).toBe(listed.length);
    }
    expect((await post(callOf('get_user_profile'))).body.result?.isError).toBeUndefined();
  });

  it('the MCP endpoint serves calls by the known names', async () => {
    const mcp = await connectMcp(await app.newClient(), '/mcp?tools=all');
    const made = await mcp.call<{ id: string }>('create_memory', {
      content: 'The build needs Node 20.',
      topics: ['build'],
      codeContext: { repo: 'memoryd' },
      conversationId: 'NEW',
      mood: 'good',
    });
    expect(made).toMatchObject({ ignored: ['mood'] });
    expect(await mcp.call('search_memories', { query: 'node build', recent: '1d' })).toMatchObject({
      total: 1,
    });
    expect(await mcp.call('get_memory', { id: made.id, detail: 'full' })).toMatchObject({
      ignored: ['detail'],
    });
    const short = made.id.slice(0, 8);
    expect(await mcp.call('initialize_session', { context: 'build with node' })).toMatchObject({
      relevant: [{ id: short }],
    });
    expect(await mcp.call('build_context', { context: 'build with node' })).toMatchObject({
      memories: [{ id: short }],
    });
    expect(await mcp.call('recall', { query: 'node' })).toMatchObject({ relevant: [{ id: short }] });
    expect(await mcp.call('knowledge_graph', { query: 'build' })).toMatchObject({
      topics: [{ name: 'build' }],
    });
    expect(await mcp.call('patterns')).toMatchObject({ patterns: [], total: 0, omitted: 0 });
    expect(await mcp.call('get_user_profile')).toMatchObject({ memories: 1, conversations: 1 });
    expect(
      await mcp.call('manage_memory', { action: 'update', id: made.id, outcome: 'resolved' }),
    ).toMatchObject({
      done: 'updated',
    });
    expect(await mcp.call('manage_memory', { action: 'delete', memoryId: made.id })).toMatchObject({
      done: 'deleted',
    });
    expect(await mcp.call('search', { query: 'node' })).toMatchObject({ total: 0 });
    await mcp.close();
  });

  it('the MCP endpoint offers memories and conversations as resources, and prompts for the start and the end of work', async () => {
    const mcp = await connectMcp(await app.newClient());
    const made = await mcp.call<{ id: string; conversationId: string }>('remember', {
      content: 'Commits are small.',
      name: 'commits',
    });
    const { resourceTemplates } = await mcp.client.listResourceTemplates();
    expect(resourceTemplates).toHaveLength(3);
    const { resources } = await mcp.client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([
      'memoryd://named/commits',
      `memoryd://conversations/${made.conversationId}`,
    ]);
    for (const uri of [...resources.map((resource) => resource.uri), `memoryd://memories/${made.id}`]) {
      const { contents } = await mcp.client.readResource({ uri });
      expect(JSON.stringify(contents)).toContain('Commits are small.');
    }
    await expect(mcp.client.readResource({ uri: 'memoryd://named/nothing' })).rejects.toThrow(
      'No such memory',
    );
    await expect(mcp.client.readResource({ uri: 'file:///etc/passwd' })).rejects.toThrow('no such resource');
    await expect(mcp.client.readResource({ uri: 'memoryd://memories/%ff' })).rejects.toThrow(
      'no such resource',
    );
    const start = await mcp.client.getPrompt({
      name: 'start_work',
      arguments: { task: 'commit the change' },
    });
    expect(JSON.stringify(start.messages)).toContain('Commits are small.');
    const end = await mcp.client.getPrompt({ name: 'end_work' });
    expect(JSON.stringify(end.messages)).toContain('remember');
    await mcp.close();
  });

  it('the MCP endpoint counts calls by tool and logs their names, and nothing of what they contain', async () => {
    const { post } = await newRaw();
    await post(callOf('remember', { content: 'a zebra in the log' }));
    await post(callOf('zebra-tool'));
    const metrics = await fetch(`${app.url}/metrics`).then((response) => response.text());
    expect(metrics).toMatch(/memoryd_mcp_calls_total\{tool="remember",outcome="ok"\} \d/);
    expect(metrics).toMatch(/memoryd_mcp_calls_total\{tool="unknown",outcome="refused"\} \d/);
    await poll(
      'the request is in the log',
      async () => app.log.some((line) => line.includes('"tools":["remember"]')) || undefined,
    );
    expect(app.log.join('')).not.toContain('zebra');
  });
});
