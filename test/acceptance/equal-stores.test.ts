import { describe, expect, it } from 'vitest';
import { readNoteSet } from '../../bench/notes/note-set.ts';
import { engines } from '../support/database.ts';
import { deriveAll } from '../support/derive.ts';
import type { Client } from '../support/http-client.ts';
import { useApp } from '../support/use-app.ts';

const { asked, others } = readNoteSet();
/** Many that tie: topics by threes on the same memories, facts that are equally sure, people who are named as often. */
const people = ['Ana', 'Marek', 'Olga', 'Yuki', 'Theo'];
const topics = ['billing', 'deploys', 'search', 'hiring', 'kitchen', 'garden', 'travel', 'health', 'school'];
const notes = [
  ...asked.development.slice(0, 12).map(({ note }) => note),
  ...others.slice(0, 12),
  ...people.map((name) => `${name} lives in Porto and works at Nordlicht.`),
  ...people.map((name) => `${name} uses Kafka and Redis for the invoice export, see BILL-7.`),
  'The gateway timeout defaults to 30 seconds.',
  'The gateway timeout defaults to 90 seconds now.',
  'Always run the linter before a commit.',
  'Always run the linter before each push.',
  'We decided to use PostgreSQL for the ledger.',
  'Bug: the invoice export fails with a timeout.',
  'Fixed the timeout of the invoice export.',
  'Olga and Theo met Ana in Lisbon about the ledger.',
  'Marek: I moved to Berlin.',
  'Marek: I moved to Madrid.',
  'The storefront does not use Redis.',
];
const queries = [
  'invoice export',
  'who lives in Porto',
  'gateway timeout',
  'Ana',
  'ledger decision',
  'garden',
];

const day = 86_400_000;

async function writeNotes(http: Client): Promise<string[]> {
  const ids: string[] = [];
  const conversations: string[] = [];
  for (const [i, content] of notes.entries()) {
    const at = new Date(Date.UTC(2026, 4, 1) + i * day).toISOString();
    const { body } = await http.post<{ data: { id: string; conversationId: string } }>('/api/memories', {
      content,
      topics: [topics[i % 9], topics[(i + 3) % 9], topics[(i * 2) % 9]],
      conversationId: conversations[i % 5] ?? 'NEW',
      eventTime: at,
    });
    ids.push(body.data.id);
    conversations[i % 5] = body.data.conversationId;
  }
  return ids;
}

interface Answer {
  readonly asked: string;
  readonly body: string;
}

/** Ids by their first place in the answer, times of writing and cursors, which contain an id, as one word. */
function withoutIds(body: unknown, memories: ReadonlyMap<string, number>): string {
  const places = new Map<string, number>();
  return JSON.stringify(body, null, 1)
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => {
      const memory = memories.get(id);
      if (memory !== undefined) return `memory ${memory}`;
      places.set(id, places.get(id) ?? places.size);
      return `id ${places.get(id)}`;
    })
    .replace(/"nextCursor": "[^"]+"/g, '"nextCursor": "there"')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => (time < '2026-07' ? time : 'now'))
    .replace(/\d\.\d{6,}/g, (number) => Number(number).toPrecision(5))
    .replace(/"(\w*(?:Ms|Time|took|uptime|Size|bytes)\w*)": [\d.]+/gi, '"$1": 0');
}

async function answersOf(http: Client, ids: readonly string[]): Promise<Answer[]> {
  const memories = new Map(ids.map((id, i) => [id, i]));
  const answers: Answer[] = [];
  const keep = (what: string, { status, body }: { status: number; body: unknown }) => {
    expect(`${what} ${status}`).toBe(`${what} 200`);
    answers.push({ asked: what, body: withoutIds(body, memories) });
    return body as { data: { id: string }[] };
  };
  const get = async (path: string, name = path) => keep(`GET ${name}`, await http.get(path));
  const post = async (path: string, body: object, name = path) =>
    keep(name === path ? `POST ${name} ${JSON.stringify(body)}` : name, await http.post(path, body));
  await post('/api/topics/detect-communities', {});
  for (const path of [
    '/api/memories?limit=100',
    '/api/memories?limit=20&offset=20&sortBy=eventTime',
    '/api/memories/stats',
    '/api/conversations?limit=20',
    '/api/facts?limit=100',
    '/api/facts?limit=100&sortBy=confidence',
    '/api/patterns?limit=50',
    '/api/system/memory/quality?limit=50',
    '/api/trash',
    '/api/narratives',
    '/api/entities/health',
  ])
    await get(path);
  const entities = await get('/api/entities?limit=100');
  const shown = await get('/api/topics?limit=100');
  for (const algorithm of ['label-propagation', 'louvain'])
    await post('/api/topics/detect-communities', { algorithm });
  const communities = await get('/api/topics/communities?limit=50');
  for (const minClusterSize of [2, 3]) await post('/api/topics/cluster', { minClusterSize });
  for (const [i, { id }] of communities.data.slice(0, 3).entries())
    await get(`/api/topics/communities/${id}`, `community ${i}`);
  for (const [i, { id }] of shown.data.slice(0, 9).entries()) {
    await get(`/api/topics/${id}`, `topic ${i}`);
    await post('/api/topics/discover-related', { topicId: id }, `related ${i}`);
    await get(`/api/graph?around=topic:${id}&depth=2&limit=60`, `around topic ${i}`);
  }
  for (const [i, { id }] of entities.data.slice(0, 8).entries()) {
    await get(`/api/entities/${id}`, `entity ${i}`);
    await get(`/api/entities/${id}/memories`, `memories of entity ${i}`);
    await get(`/api/graph?around=entity:${id}&limit=60`, `around entity ${i}`);
  }
  for (const [i, id] of ids.entries()) {
    if (i % 6 === 0 || i > 40) await get(`/api/memories/${id}?include=all`, `memory ${i}`);
    if (i % 9 !== 0) continue;
    for (const part of ['related', 'similar', 'relationships', 'timeline', 'conversation-memories'])
      await get(`/api/memories/${id}/${part}`, `${part} of ${i}`);
    await get(`/api/graph?around=memory:${id}&depth=2`, `around ${i}`);
    await post(`/api/memories/${id}/detect-relationships`, {}, `detect ${i}`);
  }
  for (const query of queries) {
    for (const searchMethod of ['hybrid', 'keyword', 'semantic'])
      await post('/api/memories/search', { query, searchMethod, limit: 30, explain: true });
    await post('/api/memories/search', {
      query,
      limit: 30,
      includeEntities: true,
      includeFacts: true,
      includeTopics: true,
      facets: true,
    });
    await post('/api/facts/search', { query });
    await post('/api/topics/search', { query });
    await post('/api/graphrag/query', { query, limit: 10 });
    await post('/api/graphrag/query-communities', { query });
    await post('/api/memories/build-context', { context: query });
    for (const format of ['structured', 'narrative', 'timeline', 'status-report'])
      await post('/api/memories/digest', { query, format });
  }
  await post('/api/patterns/detect', {});
  await post('/api/patterns/analyze', {});
  await get('/api/patterns?limit=100', 'patterns found');
  await post('/api/patterns/compile-instructions', { query: 'commit' });
  return answers;
}

describe('equal stores', () => {
  const apps = [useApp('sqlite'), ...engines.map((engine) => useApp(engine))];

  it('answer the same whatever their ids, on every engine', async () => {
    const stores: Answer[][] = [];
    for (const app of apps) {
      const http = await app.newClient();
      const ids = await writeNotes(http);
      await deriveAll(app.services);
      stores.push(await answersOf(http, ids));
    }
    const [first, ...rest] = stores;
    expect(first.length).toBeGreaterThan(155);
    for (const store of rest) for (const [i, answer] of first.entries()) expect(store[i]).toEqual(answer);
  });
});
