import { beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/domain/shared/time.ts';
import { engines } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import type { Client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

type Named = { id: string; name: string; type?: string };
type Result = {
  memory: { id: string; content: string; effectiveState: string };
  score: number;
  topics: Named[];
  entities: Named[];
  relatedMemories: {
    id: string;
    relationshipType: string;
    direction?: string;
    via: string[];
    preview: string;
  }[];
  answer: string;
  sources: string[];
  confidence: number;
};
type Answer = {
  data: { queryId: string; results: Result[]; metadata: Record<string, unknown> };
  code: string;
  error: string;
};
type Node = { kind: string; id: string; name: string };
type Trace = {
  data: {
    query: string;
    seeds: (Node & { by: string; weight: number })[];
    steps: { depth: number; expanded: number }[];
    edges: { from: Node; to: Node; type: string; flow: number }[];
    scores: (Node & { score: number })[];
    hidden: number;
  };
  code: string;
};

describe.each(engines)('answers from the graph on %s', (engine) => {
  const app = useApp(engine);
  let http: Client;

  beforeEach(async () => {
    http = await app.newClient();
  });

  const write = async (content: string, topics: readonly string[] = [], extra: object = {}) => {
    const body = { content, topics, conversationId: 'NEW', ...extra };
    const made = await http.post<{ data: { id: string } }>('/api/memories', body);
    expect(made.status).toBe(201);
    return made.body.data.id;
  };
  const ask = (query: string, options: object = {}) =>
    http.post<Answer>('/api/graphrag/query', { query, ...options });
  const results = async (query: string, options: object = {}) => {
    const { status, body } = await ask(query, options);
    expect(status).toBe(200);
    return body.data.results;
  };
  const explain = (queryId: string) => http.get<Trace>(`/api/graphrag/explain?queryId=${queryId}`);

  it('a query of the graph finds what it asks for, and memories that share a topic with that', async () => {
    const direct = await write('The ferry to Ronne leaves at nine. Bring the blue tickets.', ['holiday']);
    const around = await write('The hut has four beds.', ['holiday']);
    await write('The compiler reports unused names.', ['typescript']);
    const { body } = await ask('When does the ferry leave?');
    const found = body.data.results;
    expect(found.map(({ memory }) => memory.id)).toEqual([direct, around]);
    expect(found[0]).toMatchObject({ sources: [direct], answer: expect.stringContaining('ferry') });
    expect(found[0].confidence).toBeGreaterThan(found[1].confidence);
    expect(found[0].topics).toEqual([expect.objectContaining({ name: 'holiday' })]);
    expect(found[0].relatedMemories).toEqual([
      expect.objectContaining({
        id: around,
        relationshipType: 'shared-topic',
        via: ['holiday'],
        preview: 'The hut has four beds.',
      }),
    ]);
    expect(body.data.metadata).toMatchObject({
      query: 'When does the ferry leave?',
      depth: 2,
      limit: 20,
      timestamp: expect.stringMatching(/Z$/),
    });
  });

  it('a query of the graph goes as many steps as asked for', async () => {
    const first = await write('Zanzibar.', ['a']);
    const second = await write('Nothing alike.', ['a', 'b']);
    const third = await write('Quite another.', ['b', 'c']);
    const ids = async (options: object) =>
      (await results('zanzibar', options)).map(({ memory }) => memory.id);
    expect(await ids({ maxDepth: 1 })).toEqual([first]);
    expect(await ids({ maxDepth: 2 })).toEqual([first, second]);
    expect(await ids({ depth: 4 })).toEqual([first, second, third]);
    expect(await ids({ maxDepth: 1, depth: 4 })).toEqual([first]);
    expect(await ids({ maxDepth: 4, limit: 2 })).toEqual([first, second]);
  });

  it.each([{ maxDepth: 6 }, { maxDepth: 0 }, { depth: 6 }, { limit: 0 }, { limit: 1.5 }])(
    'a query of the graph with %j is refused with the field and the rule',
    async (options) => {
      const { status, body } = await ask('anything', options);
      expect([status, body.code]).toEqual([422, 'INPUT_INVALID']);
      expect(body.error).toContain(Object.keys(options)[0]);
    },
  );

  it('a blank query of the graph is refused', async () => {
    expect((await ask('  ')).status).toBe(422);
    expect((await http.post('/api/graphrag/query', {})).status).toBe(422);
    expect((await http.post('/api/graphrag/query-communities', { query: ' ' })).status).toBe(422);
  });

  it('relationships between memories are followed and given, unless they are not asked for', async () => {
    const problem = await write('Zanzibar outage.');
    const solution = await write('A new fuse.');
    await http.post(`/api/memories/${solution}/relationships`, {
      targetMemoryId: problem,
      type: 'RESOLVES',
    });
    const found = await results('zanzibar');
    expect(found.map(({ memory }) => memory.id)).toEqual([problem, solution]);
    expect(found[0].relatedMemories).toMatchObject([
      { id: solution, relationshipType: 'RESOLVES', direction: 'incoming' },
    ]);
    const alone = await results('zanzibar', { includeRelationships: false });
    expect(alone.map(({ memory, relatedMemories }) => [memory.id, relatedMemories])).toEqual([[problem, []]]);
  });

  it('memories that are superseded are no results', async () => {
    const old = await write('Zanzibar is at nine.', ['a']);
    const now = await write('It moved to ten.', ['a']);
    await http.post(`/api/memories/${now}/relationships`, { targetMemoryId: old, type: 'SUPERSEDES' });
    expect((await results('zanzibar')).map(({ memory }) => memory.id)).not.toContain(old);
  });

  it('derived entities join memories and are named in the answer', async () => {
    const first = await write('Melanie moved the billing service to PostgreSQL 17.');
    const second = await write('PostgreSQL 17 needs 12 GB of memory here.');
    await write('Bread needs flour.');
    await deriveAll(app.services);
    const found = await results('Who is Melanie?');
    expect(found.map(({ memory }) => memory.id)).toEqual([first, second]);
    expect(found[0].entities.map(({ name }) => name)).toContain('Melanie');
    const { body } = await ask('What did Melanie do?');
    const trace = (await explain(body.data.queryId)).body.data;
    expect(trace.seeds).toContainEqual(
      expect.objectContaining({ kind: 'entity', name: 'Melanie', by: 'name' }),
    );
  });

  it('the trace of a query names its seeds, the edges walked and the scores, for 7 days', async () => {
    const first = await write('Zanzibar.', ['a']);
    await write('Nothing alike.', ['a']);
    const { body } = await ask('zanzibar');
    const { status, body: trace } = await explain(body.data.queryId);
    expect(status).toBe(200);
    expect(trace.data).toMatchObject({
      query: 'zanzibar',
      seeds: [{ kind: 'memory', id: first, name: 'Zanzibar.', by: 'search', weight: 1 }],
      steps: [{ depth: 1, expanded: 1 }, { depth: 2 }],
      hidden: 0,
    });
    expect(trace.data.edges[0]).toMatchObject({
      from: { kind: 'memory', name: 'Zanzibar.' },
      to: { kind: 'topic', name: 'a' },
      type: 'HAS_TOPIC',
    });
    expect(trace.data.scores[0]).toMatchObject({ id: first, score: expect.any(Number) });
    expect((await explain('nothing')).body.code).toBe('GRAPH_QUERY_NOT_FOUND');
    expect((await http.get('/api/graphrag/explain')).status).toBe(422);
    const other = await app.newClient();
    expect((await other.get(`/api/graphrag/explain?queryId=${body.data.queryId}`)).status).toBe(404);
    await app.storage.traces.prune(Date.now() - DAY_MS, 1000);
    expect((await explain(body.data.queryId)).status).toBe(200);
    expect(await app.storage.traces.prune(Date.now() + 1, 1000)).toBeGreaterThan(0);
    expect((await explain(body.data.queryId)).status).toBe(404);
  });

  it('of a user the newest traces are kept, up to a number', async () => {
    await write('Zanzibar.');
    const asked: string[] = [];
    for (let i = 0; i < 3; i++) asked.push((await ask(`zanzibar ${i}`)).body.data.queryId);
    await app.storage.traces.prune(0, 3);
    expect((await explain(asked[0])).status).toBe(200);
    await app.storage.traces.prune(0, 1);
    expect((await explain(asked[0])).status).toBe(404);
  });

  it('nothing of a deleted memory is in an answer or a trace, and nothing of its text is stored', async () => {
    const first = await write('Zanzibar.', ['a']);
    const secret = await write('The vault opens with 4711.', ['a', 'vault code']);
    const { body } = await ask('zanzibar');
    expect(JSON.stringify(body.data.results)).toContain('4711');
    await http.delete(`/api/memories/${secret}`);
    const again = await ask('zanzibar');
    expect(again.body.data.results.map(({ memory }) => memory.id)).toEqual([first]);
    for (const text of ['4711', 'vault']) {
      expect(again.text).not.toContain(text);
      expect((await explain(body.data.queryId)).text).not.toContain(text);
    }
    expect((await explain(body.data.queryId)).body.data.hidden).toBe(1);
  });

  it('a query of the graph sees no memories of another user', async () => {
    await write('Zanzibar.', ['a']);
    const other = await app.newClient();
    const made = { content: 'Another thing.', topics: ['a'], conversationId: 'NEW' };
    await other.post('/api/memories', made);
    const { body } = await other.post<Answer>('/api/graphrag/query', { query: 'zanzibar a' });
    expect(body.data.results.map(({ memory }) => memory.content)).not.toContain('Zanzibar.');
  });

  it('a query with nothing to find has no results, and a trace', async () => {
    const { body } = await ask('zanzibar');
    expect(body.data.results).toEqual([]);
    expect((await explain(body.data.queryId)).body.data).toMatchObject({ seeds: [], edges: [] });
  });

  it('communities answer a query with the words of their memories', async () => {
    const bread = await write('Bread needs flour and an hour of rest.', ['bread', 'flour']);
    await write('Flour comes from the mill.', ['flour', 'mill']);
    await write('The router asks our DNS.', ['dns', 'router']);
    const reply = await http.post<{
      data: {
        communityId: string;
        communityName: string;
        answer: string;
        confidence: number;
        sources: string[];
      }[];
    }>('/api/graphrag/query-communities', { query: 'How long does bread rest?', limit: 1 });
    expect(reply.status).toBe(200);
    const [found] = reply.body.data;
    expect(reply.body.data).toHaveLength(1);
    expect(found.communityName).toContain('flour');
    expect(found.answer).toBe('Bread needs flour and an hour of rest.');
    expect(found.sources[0]).toBe(bread);
    expect(found.confidence).toBeGreaterThan(0.5);
    const community = await http.get(`/api/topics/communities/${found.communityId}`);
    expect(community.status).toBe(200);
  });
});
