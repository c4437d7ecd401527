import { beforeAll, describe, expect, it } from 'vitest';
import { type BusyUser, makeBusyUser } from '../support/busy-user.ts';
import { engines } from '../support/database.ts';
import { runStatement } from '../support/run-statement.ts';
import { leastStretch } from '../support/stretches.ts';
import { useApp } from '../support/use-app.ts';

const { signal } = new AbortController();
const memoriesCount = 5000;
/** Processor time for which a request of another user waits at most. */
const stretchMsMax = 50;

type Ids = { data: { id: string }[] };
type One = { data: { id: string } };
type Body = Record<string, unknown>;

/** Another request for each attempt, where one changes what the next would find. */
type Act = (attempt: number) => Promise<unknown>;

describe.each(engines)('requests of a user with 5,000 memories on %s', (engine) => {
  const app = useApp(engine, {
    MEMORYD_BODY_BYTES_MAX: '4194304',
    // What takes long on a busy machine is measured all the same.
    MEMORYD_HANDLER_TIMEOUT_MS: '600000',
  });
  let busy: BusyUser;

  beforeAll(async () => {
    busy = await makeBusyUser(app, memoriesCount);
    for (let i = 0; i < 300; i++)
      await app.services.memories.update(busy.user, memory(40).id, {
        content: `version ${i} ${'of a text '.repeat(40)}`,
      });
    // As the jobs do, which are not started: without statistics SQLite reads whole tables.
    while ((await app.storage.maintenance.updateStatistics?.slice(signal))?.more);
    if (engine === 'postgres') await runStatement({ engine, url: app.databaseUrl }, 'ANALYZE');
    // What is loaded once, such as the table of tokens, is loaded.
    await post('/api/memories/digest', { query: 'redis', maxSources: 2 })(0);
  }, 300_000);

  async function ask(method: string, path: string, body?: unknown): Promise<Response> {
    const response = await fetch(app.url + path, {
      method,
      headers: {
        authorization: `Bearer ${busy.http.key}`,
        accept: 'application/json, text/event-stream',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (!response.ok)
      throw new Error(`${method} ${path}: ${response.status} ${(await response.text()).slice(0, 500)}`);
    return response;
  }

  /** Reads a response and lets go of it: decoding and parsing are the client's work, in the same thread here. */
  async function drain(response: Response): Promise<void> {
    for await (const _ of response.body ?? []);
  }

  const send = async (method: string, path: string, body?: unknown) => (await ask(method, path, body)).text();
  const get =
    (path: string): Act =>
    async () =>
      drain(await ask('GET', path));
  const post =
    (path: string, body: Body = {}): Act =>
    async () =>
      drain(await ask('POST', path, body));
  const idsOf = async (path: string) => (JSON.parse(await send('GET', path)) as Ids).data.map(({ id }) => id);
  const memory = (i: number) => busy.memories[i];
  const idsFrom = (from: number, count: number) =>
    busy.memories.slice(from, from + count).map(({ id }) => id);
  const call = (name: string, args: Body) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: args },
  });
  const tool = (name: string, args: Body) => post('/mcp', call(name, args));
  /** Four equal requests at once: pieces of work that are fair by themselves may add up. */
  const fourTimes =
    (act: Act): Act =>
    (attempt) =>
      Promise.all(Array.from({ length: 4 }, () => act(attempt)));

  const query = 'Which tool does Person12 prefer over redis in the region?';
  const files = Array.from({ length: 100 }, (_, i) => `src/service${i % 40}/redis${i}.ts`);
  const digest = (format: string) =>
    post('/api/memories/digest', { query, format, maxSources: 500, tokenBudget: 32_000 });
  const transcript = Array.from(
    { length: 6000 },
    (_, i) =>
      `{"message":{"role":"assistant","content":"We decided to use redis${i} instead of kafka because it was the root cause ${i}."}}\n`,
  )
    .join('')
    .slice(0, 990_000);

  const reads: Record<string, Act> = {
    'a digest as structured text': fourTimes(digest('structured')),
    'a digest as a narrative': digest('narrative'),
    'a digest as a timeline': digest('timeline'),
    'a digest as a status report': digest('status-report'),
    'a digest that is streamed': post('/api/memories/digest/stream', { query, maxSources: 500 }),
    'a context for work on 100 files': fourTimes(
      post('/api/memories/build-context', { context: query.repeat(8), files, tokenBudget: 8000 }),
    ),
    'a query of the graph': fourTimes(post('/api/graphrag/query', { query, maxDepth: 5, limit: 100 })),
    'the graph around a topic': fourTimes(get('/api/graph?around=topic:topic1&depth=2&limit=300')),
    'a query of communities': post('/api/graphrag/query-communities', { query, limit: 20 }),
    'an explanation of a query of the graph': async () => {
      const made = JSON.parse(
        await send('POST', '/api/graphrag/query', { query, maxDepth: 5, limit: 100 }),
      ) as { data: { queryId: string } };
      await send('GET', `/api/graphrag/explain?queryId=${made.data.queryId}`);
    },
    'a detection of communities': post('/api/topics/detect-communities'),
    'clusters of topics': post('/api/topics/cluster'),
    'the list of communities': get('/api/topics/communities?limit=1000'),
    'a search': fourTimes(
      post('/api/memories/search', { query, limit: 1000, includeFacets: true, explain: true }),
    ),
    'a search that says why a memory fails many filters': () =>
      send('POST', '/api/memories/search', {
        query,
        explainId: memory(2500).id,
        conversationId: 'nothing',
        taskId: 'nothing',
        externalId: 'nothing',
        outcome: 'resolved',
        eventTimeFrom: '2090-01-01',
        eventTimeTo: '2090-02-01',
        topics: ['nothing'],
        excludeTopics: ['topic1'],
        effectiveState: 'superseded',
      }),
    'a search with all that is derived': post('/api/memories/search', {
      query,
      limit: 1000,
      includeFacets: true,
      includeEntities: true,
      includeFacts: true,
      expandEntities: true,
      expandTopics: true,
      expandFacts: true,
    }),
    'a search of an earlier time': post('/api/memories/search', {
      query,
      limit: 1000,
      asOfTime: '2026-01-01T00:00:00Z',
    }),
    'a search for the evolution': post('/api/memories/search', {
      query,
      limit: 1000,
      temporalMode: 'evolution',
    }),
    'a search for conversations': post('/api/conversations/search', { query, limit: 100 }),
    'a search for facts': post('/api/facts/search', { query, limit: 1000 }),
    'a search for topics': post('/api/topics/search', { query: 'topic12', limit: 1000 }),
    'the list of memories': get('/api/memories?limit=1000'),
    'the list of conversations': get('/api/conversations?limit=1000'),
    'the list of topics': get('/api/topics?limit=1000'),
    'the list of entities': get('/api/entities?limit=1000'),
    'the list of entities by name': get('/api/entities?limit=1000&sortBy=name&order=asc'),
    'the list of facts': get('/api/facts?limit=1000'),
    'the list of facts with a word': get('/api/facts?limit=1000&q=redis'),
    'the list of memories of a role': get('/api/memories?limit=1000&role=user'),
    'what waits and failed': get('/api/system/jobs?limit=200'),
    'the list of patterns': get('/api/patterns?limit=1000'),
    'the health of the graph': get('/api/entities/health'),
    'the memories of an entity': async () => {
      const [id] = await idsOf('/api/entities?limit=1');
      await send('GET', `/api/entities/${id}/memories?limit=1000`);
    },
    'topics related to a topic': post('/api/topics/discover-related', { topicId: 'topic12', limit: 100 }),
    'topics like a topic': post('/api/topics/similar', { topicId: 'topic12', limit: 100 }),
    'the likeness of two topics': post('/api/topics/similarity', {
      topicId1: 'topic12',
      topicId2: 'topic13',
    }),
    'conversations of a topic': post('/api/conversations/by-topic', { topicId: 'topic12', limit: 100 }),
    'a conversation with its summary': () => send('GET', `/api/conversations/${memory(0).conversationId}`),
    'the timeline of a conversation': () =>
      send('GET', `/api/conversations/${memory(0).conversationId}/timeline?limit=1000`),
    'memories of the same conversation': () =>
      send('GET', `/api/memories/${memory(9).id}/conversation-memories?limit=1000`),
    'the timeline of a memory': () =>
      send('GET', `/api/memories/${memory(2500).id}/timeline?before=100&after=100`),
    'memories related to one': () => send('GET', `/api/memories/${memory(2500).id}/related?limit=100`),
    'memories like one': () => send('GET', `/api/memories/${memory(2500).id}/similar?limit=100`),
    'a hundred memories in full': () =>
      send('POST', '/api/memories/batch', { ids: idsFrom(300, 100), detail: 'full' }),
    'relationships of a memory': () => send('GET', `/api/memories/${memory(100).id}/relationships`),
    'an explanation of a relationship': () =>
      send('POST', `/api/memories/${memory(21).id}/explain-relationship`, {
        otherMemoryId: memory(10).id,
        relationshipType: 'REFERENCES',
      }),
    'candidates of all memories': () => send('GET', '/api/relationships?limit=200'),
    'relationships of all memories': () => send('GET', '/api/relationships?state=active&limit=200'),
    'relationships proposed for a memory': () =>
      send('POST', `/api/memories/${memory(2600).id}/detect-relationships`, {
        autoCreate: false,
        minConfidence: 0,
      }),
    statistics: get('/api/memories/stats?groupBy=day&limit=1000'),
    'the bars of a histogram': get('/api/memories/histogram?unit=week&timeZone=Europe/Berlin'),
    'the versions of a memory': () => send('GET', `/api/memories/${memory(40).id}/versions?limit=1000`),
    'an export of memories': post('/api/memories/export', { limit: 1000 }),
    'an export of memories as CSV': post('/api/memories/export', { limit: 1000, format: 'csv' }),
    'an export of everything': get('/api/users/me/export'),
    usage: get('/api/users/me/usage'),
    'the state of the context': get('/api/system/context/status'),
    'the quality of memories': get('/api/system/memory/quality?includeDetails=true&minQualityThreshold=1'),
    'a dry run of pruning': post('/api/system/memory/prune', { dryRun: true, minQualityThreshold: 1 }),
    'an analysis of patterns': post('/api/patterns/analyze', { timeRange: 3650, includeDetails: true }),
    'instructions from patterns': post('/api/patterns/compile-instructions', {
      currentQuery: query,
      tokenBudget: 2000,
    }),
    'the history of a name': get('/api/memories/named/plan/history?limit=1000'),
    'the tool recall': fourTimes(tool('recall', { task: query, maxTokens: 20_000 })),
    'the tool recall as a digest': tool('recall', { task: query, as: 'digest', maxTokens: 20_000 }),
    'the tool search': tool('search', { query, limit: 50 }),
    'the tool build_context': tool('build_context', { task: query, files: files.slice(0, 20) }),
    'the prompt start_work': post('/mcp', {
      jsonrpc: '2.0',
      id: 1,
      method: 'prompts/get',
      params: { name: 'start_work', arguments: { task: query } },
    }),
  };

  const changes: Record<string, Act> = {
    'a detection of patterns': fourTimes(
      post('/api/patterns/detect', { minConfidence: 0, maxResults: 500, autoStore: false }),
    ),
    'a compilation of patterns': post('/api/patterns/compile', { minOccurrences: 1, timeWindow: '3650d' }),
    'a state of behaviour': post('/api/patterns/behavior/state', {
      state: Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`key${i}`, 'value'])),
    }),
    'a commit with a transcript of a megabyte': (attempt) =>
      send('POST', '/api/commit-context', {
        git: { sha: `abc${attempt}`.padEnd(40, '0'), message: 'fix: x', filesChanged: files },
        transcript,
        diff: '@@ -1 +1 @@ function x\n+a\n'.repeat(30_000),
      }),
    'relationships that are made for a memory': (attempt) =>
      send('POST', `/api/memories/${memory(2700 + attempt).id}/detect-relationships`, { minConfidence: 0 }),
    'a thousand memories created at once': (attempt) =>
      send('POST', '/api/memories/bulk', {
        memories: Array.from({ length: 1000 }, (_, i) => ({
          content: `created ${attempt} ${i} ${'words of a text '.repeat(40)}`,
        })),
      }),
    'twenty long memories created at once': (attempt) =>
      send('POST', '/api/memories/bulk', {
        memories: Array.from({ length: 20 }, (_, i) => ({
          content: `created ${attempt} ${i} ${'other words of a long text '.repeat(1800)}`,
        })),
      }),
    'a chat of a thousand messages': (attempt) =>
      send('POST', '/api/memories/from-messages', {
        externalId: `chat ${attempt}`,
        messages: Array.from({ length: 1000 }, (_, i) => ({
          role: 'user',
          content: `said ${attempt} ${i} ${'words of a text '.repeat(40)}`,
        })),
      }),
    'a hundred memories tagged at once': (attempt) =>
      send('POST', '/api/memories/bulk-tag', {
        ids: idsFrom(1000 + attempt * 100, 100),
        addTopics: ['new', 'topics'],
      }),
    'a hundred memories changed at once': (attempt) =>
      send('POST', '/api/memories/bulk-update', {
        ids: idsFrom(1400 + attempt * 100, 100),
        updates: { content: `changed ${'words of a text '.repeat(40)}` },
      }),
    'topics merged': (attempt) =>
      send('POST', '/api/topics/merge', { sourceTopicId: `topic${attempt}`, targetTopicId: 'topic99' }),
    'entities merged': async () => {
      const [first, second] = await idsOf('/api/entities?limit=2');
      await send('POST', '/api/entities/merge', { sourceEntityId: second, targetEntityId: first });
    },
    'a thread of memories': async () => {
      const { data } = JSON.parse(
        await send('POST', '/api/narratives', { title: 'all', rootMemoryId: memory(500).id }),
      ) as One;
      for (const id of idsFrom(501, 20))
        await send('POST', `/api/narratives/${data.id}/memories`, { memoryId: id });
      await send('GET', `/api/narratives/${data.id}/timeline?limit=1000`);
    },
    'states computed again': post('/api/memories/repair-effective-state'),
    'a hundred memories deleted at once': (attempt) =>
      send('DELETE', '/api/memories/bulk', {
        ids: idsFrom(1800 + attempt * 100, 100),
        confirmDeletion: true,
      }),
    'a conversation of many memories deleted, restored, deleted and erased': async (attempt) => {
      const conversations = new Map<string, number>();
      for (const { conversationId } of busy.memories)
        conversations.set(conversationId, (conversations.get(conversationId) ?? 0) + 1);
      const [id] = [...conversations].sort((a, b) => b[1] - a[1])[attempt];
      await send('DELETE', `/api/conversations/${id}`);
      const [entry] = await idsOf('/api/trash?kind=conversation&limit=1');
      await send('POST', `/api/trash/${entry}/restore`);
      await send('DELETE', `/api/conversations/${id}`);
      const [again] = await idsOf('/api/trash?kind=conversation&limit=1');
      await send('DELETE', `/api/trash/${again}`);
    },
    'the list of the trash': get('/api/trash?limit=1000'),
    'rules are read from hostile texts': async (attempt) => {
      const step = app.services.steps.find(({ name }) => name === 'rules');
      if (!step) throw new Error('there is no step named rules');
      const texts = [
        'a '.repeat(10_000),
        '"” '.repeat(6600),
        `${`always${' '.repeat(280)}. `.repeat(66)}`,
        'feat(\n'.repeat(8000),
        ...[1, 2, 3].map((n) =>
          Array.from({ length: 200 }, (_, i) => `Always use redis${i * n} instead of other${attempt}.`).join(
            ' ',
          ),
        ),
      ];
      const items = texts.map((content, i) => ({
        userId: busy.user.id,
        memory: { ...memory(4000 + i), content },
        attempts: 0,
        isOlder: false,
      }));
      const read = await step.run(items);
      await app.storage.forUser(busy.user).transaction((tx) =>
        step.write(
          tx,
          items.map((item, i) => ({ item, result: read[i] })),
        ),
      );
    },
    'a prune': post('/api/system/memory/prune', {
      minQualityThreshold: 1,
      preserveRecent: false,
      targetReduction: 300,
    }),
  };

  it.each(Object.keys(reads))(
    'another user waits at most 50 ms of processor time for %s',
    async (name) => {
      expect(await leastStretch(reads[name], stretchMsMax)).toBeLessThanOrEqual(stretchMsMax);
    },
    300_000,
  );

  it.each(Object.keys(changes))(
    'another user waits at most 50 ms of processor time while this is done: %s',
    async (name) => {
      expect(await leastStretch(changes[name], stretchMsMax)).toBeLessThanOrEqual(stretchMsMax);
    },
    300_000,
  );
});
