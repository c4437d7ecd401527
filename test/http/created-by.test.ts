import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AppFixture, newAppFixture } from '../support/app-fixture.ts';
import { engines } from '../support/database.ts';
import { type Client, client } from '../support/http-client.ts';
import { connectMcp } from '../support/mcp-client.ts';

interface Written {
  readonly id: string;
  readonly content: string;
  readonly effectiveState: string;
  readonly createdBy: {
    readonly keyId: string;
    readonly label: string;
    readonly via: string;
    readonly tool?: string;
  };
}

interface Data<T> {
  readonly data: T;
}

describe.each(engines)('the key that wrote a memory, on %s', (engine) => {
  let app: AppFixture;
  beforeAll(async () => {
    app = await newAppFixture(engine);
  });
  afterAll(() => app.close());

  const withKey = async (http: Client, label: string) => {
    const body = { label, scopes: ['read', 'write', 'admin'] };
    const { data } = (
      await http.post<Data<{ apiKey: string; keyInfo: { id: string } }>>('/api/apikeys', body)
    ).body;
    return { keyId: data.keyInfo.id, http: client(app.url, data.apiKey) };
  };
  const written = async (http: Client, content: string) =>
    (await http.post<Data<Written>>('/api/memories', { content, conversationId: 'NEW' })).body.data;
  const list = async (http: Client, path: string) => (await http.get<Data<Written[]>>(path)).body.data;
  const contentsOf = async (http: Client, path: string) =>
    (await list(http, path)).map(({ content }) => content);

  it('a memory names the key and the door, each version its own, and a change of state keeps them', async () => {
    const owner = await app.newClient();
    const agent = await withKey(owner, 'agent');
    const first = await written(agent.http, 'The ferry leaves at 7.');
    expect(first.createdBy).toEqual({ keyId: agent.keyId, label: 'agent', via: 'http', agent: 'node' });
    await owner.put(`/api/memories/${first.id}`, { content: 'The ferry leaves at 8.' });
    const versions = (await owner.get<Data<{ memory: Written }[]>>(`/api/memories/${first.id}/versions`))
      .body;
    expect(versions.data.map(({ memory }) => memory.createdBy.label)).toEqual(['test', 'agent']);
    await owner.post('/api/memories', { content: 'The ferry is gone.', supersedes: first.id });
    const { data } = (await owner.get<Data<Written>>(`/api/memories/${first.id}`)).body;
    expect(data.effectiveState).toBe('superseded');
    expect(data.createdBy.label).toBe('test');
  });

  it('a memory of an agent over MCP and one of an import name their doors', async () => {
    const http = await app.newClient();
    const mcp = await connectMcp(http);
    await mcp.client.callTool({ name: 'remember', arguments: { content: 'The quay has two cranes.' } });
    await mcp.close();
    const { data } = (await http.post<Data<{ id: string }>>('/api/imports', { source: 'notes.jsonl' })).body;
    await http.post(`/api/memories/bulk?importId=${data.id}`, {
      memories: [{ content: 'The mole is closed.', externalId: 'note:1' }],
    });
    const listed = await list(http, '/api/memories?order=asc');
    expect(listed.map(({ createdBy }) => [createdBy.via, createdBy.tool])).toEqual([
      ['mcp', 'remember'],
      ['import', undefined],
    ]);
    const newer = (await http.post<Data<{ id: string }>>('/api/imports', { source: 'notes.jsonl' })).body
      .data;
    await http.put(`/api/memories/${listed[1].id}`, { topics: ['mole'] });
    await http.put(`/api/memories/${listed[1].id}`, { topics: [] });
    await http.post(`/api/memories/bulk?importId=${newer.id}`, {
      memories: [{ content: 'The mole is open again.', externalId: 'note:1' }],
    });
    const [, updated] = await list(http, '/api/memories?order=asc');
    expect([updated.content, updated.createdBy.via]).toEqual(['The mole is open again.', 'import']);
  });

  it('lists and searches know the door, the program and the tool, and say why a memory does not pass', async () => {
    const http = await app.newClient();
    const mcp = await connectMcp(http);
    await mcp.client.callTool({ name: 'remember', arguments: { content: 'The buoy is red.' } });
    await mcp.close();
    const said = { content: 'The buoy is lit.', conversationId: 'NEW' };
    await http.post('/api/memories', said, { 'user-agent': 'night-watch/2.1 (linux)' });
    await http.post(
      '/api/memories',
      { ...said, content: 'The buoy rang.' },
      { 'user-agent': 'memoryd-hook' },
    );
    const filters = [
      ['via=mcp', 'The buoy is red.'],
      ['tool=remember', 'The buoy is red.'],
      ['agent=night-watch', 'The buoy is lit.'],
      ['via=http&agent=night-watch', 'The buoy is lit.'],
      ['via=hook', 'The buoy rang.'],
    ];
    for (const [filter, content] of filters) {
      expect(await contentsOf(http, `/api/memories?${filter}`), filter).toEqual([content]);
      expect(await contentsOf(http, `/api/memories/search?q=buoy&${filter}`), filter).toEqual([content]);
    }
    expect(await contentsOf(http, '/api/memories?via=mcp&agent=night-watch')).toEqual([]);
    expect((await http.get('/api/memories?via=door')).status).toBe(422);
    expect((await http.post('/api/memories/search', { query: 'buoy', via: 'import' })).body.data).toEqual([]);
    const [{ id }] = await list(http, '/api/memories?via=hook');
    const why = await http.get(`/api/memories/search?q=buoy&via=mcp&explainId=${id}`);
    expect(why.text).toContain('it came by hook');
    const other = await app.newClient();
    expect(await contentsOf(other, '/api/memories?via=hook')).toEqual([]);
  });

  it('lists, searches and facets know the key, also once it is revoked, and no other user finds anything by it', async () => {
    const owner = await app.newClient();
    const agent = await withKey(owner, 'night agent');
    await written(agent.http, 'The winch was oiled.');
    await written(owner, 'The winch is green.');
    expect((await owner.delete(`/api/apikeys/${agent.keyId}`)).status).toBe(204);
    const by = `createdBy=${agent.keyId}`;
    expect(await contentsOf(owner, `/api/memories?${by}`)).toEqual(['The winch was oiled.']);
    expect(await contentsOf(owner, `/api/memories/search?q=winch&${by}`)).toEqual(['The winch was oiled.']);
    const path = '/api/memories/search?q=winch&includeFacets=true';
    const found = (await owner.get<Data<Written[]> & { facets: { createdBy: object[] } }>(path)).body;
    expect(found.facets.createdBy).toContainEqual({ value: agent.keyId, label: 'night agent', count: 1 });
    expect(found.data[0].createdBy).toBeUndefined();
    const other = await app.newClient();
    await written(other, 'The winch of another.');
    expect(await contentsOf(other, `/api/memories?${by}`)).toEqual([]);
  });
});
