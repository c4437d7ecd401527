import type { Client } from '../support/http-client.ts';
import type { ModelMemory, World } from './model-world.ts';
import { demand } from './proof.ts';
import { wordOf } from './unique-text.ts';

/** The fields of a memory's answer that the model knows. */
export interface MemoryBody {
  id: string;
  content: string;
  topics?: string[];
  memoryType: string;
  context?: string;
  metadata?: Record<string, unknown>;
  conversationId: string;
  name?: string;
  version?: number;
  effectiveState?: string;
  createdAt: string;
  updatedAt: string;
}
interface Listing {
  data: MemoryBody[];
  pagination: { limit: number; offset: number; count: number };
}

/** One record agrees with the model, by id, by its word, and by its name. */
export async function checkRecord(http: Client, world: World, id: string): Promise<void> {
  const reply = await http.get<{ data: MemoryBody }>(`/api/memories/${id}`);
  const expected = world.memories.get(id);
  if (!expected) {
    demand(reply.status === 404, `deleted memory ${id} answers ${reply.status}`, reply.text);
    return;
  }
  demand(reply.status === 200, `memory ${id} answers ${reply.status}`, reply.text);
  checkFields(world, expected, reply.body.data);
  const found = await http.get<{ data: { id: string; matchedVia: string[] }[] }>(
    `/api/memories/search?q=${wordOf(expected.content)}&searchMethod=keyword`,
  );
  // Its neighbours in the conversation are found too; the word itself matches only memories that contain it.
  const containing = found.body.data.filter(({ matchedVia }) => matchedVia.includes('fulltext'));
  const hit = containing.some((memory) => memory.id === id);
  demand(containing.length <= 1, 'a word of one memory is found in others', expected, found.text);
  const state = world.stateOf(id);
  demand(hit === (state === 'current'), `search finds a ${state} memory: ${hit}`, expected, found.text);
  if (expected.name === undefined) return;
  const named = await http.get<{ data: MemoryBody }>(`/api/memories/named/${expected.name}`);
  demand(named.status === 200 && named.body.data.id === id, `name ${expected.name} is elsewhere`, named.text);
}

/** Every field of one answer agrees with the model. */
export function checkFields(world: World, memory: ModelMemory, seen: MemoryBody): void {
  const expected = {
    id: memory.id,
    content: memory.content,
    topics: memory.topics.toSorted(),
    memoryType: memory.memoryType,
    context: memory.context ?? null,
    metadata: memory.metadata ?? null,
    conversationId: memory.conversationId,
    name: memory.name ?? null,
    effectiveState: world.stateOf(memory.id),
  };
  const actual = {
    id: seen.id,
    content: seen.content,
    topics: (seen.topics ?? []).toSorted(),
    memoryType: seen.memoryType,
    context: seen.context ?? null,
    metadata: seen.metadata ?? null,
    conversationId: seen.conversationId,
    name: seen.name ?? null,
    effectiveState: seen.effectiveState ?? 'current',
  };
  const same = JSON.stringify(actual) === JSON.stringify(expected);
  demand(same, 'a memory differs from the model (seen, then expected)', actual, expected);
}

/** All pages of a filtered list hold exactly `expected`, in a right order, each with its fields. */
export async function checkListing(
  http: Client,
  world: World,
  query: { expected: readonly ModelMemory[]; params: Record<string, string>; limit: number },
): Promise<void> {
  const sortBy = query.params.sortBy === 'updatedAt' ? 'updatedAt' : 'createdAt';
  const seen: MemoryBody[] = [];
  for (let offset = 0; ; offset += query.limit) {
    const page = { ...query.params, limit: String(query.limit), offset: String(offset) };
    const reply = await http.get<Listing>(`/api/memories?${new URLSearchParams(page)}`);
    demand(reply.status === 200, `list answers ${reply.status}`, reply.text, page);
    const { count } = reply.body.pagination;
    demand(count === query.expected.length, `list counts ${count}, not ${query.expected.length}`, page);
    seen.push(...reply.body.data);
    if (reply.body.data.length === 0 || seen.length >= count) break;
  }
  const ids = new Set(seen.map((memory) => memory.id));
  demand(ids.size === seen.length, 'pages of a list repeat a memory', query.params);
  demand(ids.size === query.expected.length, 'a list misses memories', query.params);
  for (const memory of query.expected)
    demand(ids.has(memory.id), 'a list misses a memory', memory, query.params);
  for (const memory of seen) {
    const expected = world.memories.get(memory.id);
    demand(expected !== undefined, 'a list shows a memory that is not there', memory);
    checkFields(world, expected, memory);
  }
  const times = seen.map((memory) => memory[sortBy]);
  const sorted = times.toSorted();
  if (query.params.order !== 'asc') sorted.reverse();
  demand(JSON.stringify(times) === JSON.stringify(sorted), 'a list is out of order', query.params, times);
}

/** The whole store: memories, conversations with their counts, topics with theirs. */
export async function checkEverything(http: Client, world: World): Promise<void> {
  const params = { sortBy: 'createdAt', order: 'asc' };
  await checkListing(http, world, { expected: world.list(), params, limit: 1000 });
  const conversations = await http.get<{ data: { id: string; memoryCount: number }[] }>(
    '/api/conversations?limit=1000',
  );
  const seen = conversations.body.data.map(({ id, memoryCount }) => `${id} ${memoryCount}`);
  const listed = [...world.conversations].filter((id) => world.titled.has(id) || world.countIn(id) > 0);
  const expected = listed.map((id) => `${id} ${world.countIn(id)}`);
  const same = JSON.stringify(seen.toSorted()) === JSON.stringify(expected.toSorted());
  demand(same, 'conversations differ (seen, then expected)', seen.toSorted(), expected.toSorted());
  await checkTopics(http, world);
}

/** Names and counts; a topic that no memory has any more may be listed with 0. */
export async function checkTopics(http: Client, world: World): Promise<void> {
  const reply = await http.get<{ data: { name: string; memoryCount: number }[] }>('/api/topics?limit=1000');
  demand(reply.status === 200, `topics answers ${reply.status}`, reply.text);
  const used = reply.body.data.filter((topic) => topic.memoryCount > 0);
  const seen = used.map(({ name, memoryCount }) => `${name} ${memoryCount}`).toSorted();
  const expected = [...world.topicCounts()].map(([name, count]) => `${name} ${count}`).toSorted();
  demand(
    JSON.stringify(seen) === JSON.stringify(expected),
    'topics differ (seen, then expected)',
    seen,
    expected,
  );
}
