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
  const wanted = world.memories.get(id);
  if (!wanted) {
    demand(reply.status === 404, `deleted memory ${id} answers ${reply.status}`, reply.text);
    return;
  }
  demand(reply.status === 200, `memory ${id} answers ${reply.status}`, reply.text);
  checkFields(world, wanted, reply.body.data);
  const found = await http.get<{ data: { id: string; matchedVia: string[] }[] }>(
    `/api/memories/search?q=${wordOf(wanted.content)}&searchMethod=keyword`,
  );
  // Memories beside it in its conversation come along; only those that hold the word are matched by it.
  const holding = found.body.data.filter(({ matchedVia }) => matchedVia.includes('fulltext'));
  const hit = holding.some((memory) => memory.id === id);
  demand(holding.length <= 1, 'a word of one memory is found in others', wanted, found.text);
  const state = world.stateOf(id);
  demand(hit === (state === 'current'), `search finds a ${state} memory: ${hit}`, wanted, found.text);
  if (wanted.name === undefined) return;
  const named = await http.get<{ data: MemoryBody }>(`/api/memories/named/${wanted.name}`);
  demand(named.status === 200 && named.body.data.id === id, `name ${wanted.name} is elsewhere`, named.text);
}

/** Every field of one answer agrees with the model. */
export function checkFields(world: World, wanted: ModelMemory, seen: MemoryBody): void {
  const expected = {
    id: wanted.id,
    content: wanted.content,
    topics: wanted.topics.toSorted(),
    memoryType: wanted.memoryType,
    context: wanted.context ?? null,
    metadata: wanted.metadata ?? null,
    conversationId: wanted.conversationId,
    name: wanted.name ?? null,
    effectiveState: world.stateOf(wanted.id),
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

/** All pages of a filtered list hold exactly `wanted`, in a right order, each with its fields. */
export async function checkListing(
  http: Client,
  world: World,
  query: { wanted: readonly ModelMemory[]; params: Record<string, string>; limit: number },
): Promise<void> {
  const sortBy = query.params.sortBy === 'updatedAt' ? 'updatedAt' : 'createdAt';
  const seen: MemoryBody[] = [];
  for (let offset = 0; ; offset += query.limit) {
    const page = { ...query.params, limit: String(query.limit), offset: String(offset) };
    const reply = await http.get<Listing>(`/api/memories?${new URLSearchParams(page)}`);
    demand(reply.status === 200, `list answers ${reply.status}`, reply.text, page);
    const { count } = reply.body.pagination;
    demand(count === query.wanted.length, `list counts ${count}, not ${query.wanted.length}`, page);
    seen.push(...reply.body.data);
    if (reply.body.data.length === 0 || seen.length >= count) break;
  }
  const ids = new Set(seen.map((memory) => memory.id));
  demand(ids.size === seen.length, 'pages of a list repeat a memory', query.params);
  demand(ids.size === query.wanted.length, 'a list misses memories', query.params);
  for (const memory of query.wanted)
    demand(ids.has(memory.id), 'a list misses a memory', memory, query.params);
  for (const memory of seen) {
    const wanted = world.memories.get(memory.id);
    demand(wanted !== undefined, 'a list shows a memory that is not there', memory);
    checkFields(world, wanted, memory);
  }
  const times = seen.map((memory) => memory[sortBy]);
  const sorted = times.toSorted();
  if (query.params.order !== 'asc') sorted.reverse();
  demand(JSON.stringify(times) === JSON.stringify(sorted), 'a list is out of order', query.params, times);
}

/** The whole store: memories, conversations with their counts, topics with theirs. */
export async function checkEverything(http: Client, world: World): Promise<void> {
  const params = { sortBy: 'createdAt', order: 'asc' };
  await checkListing(http, world, { wanted: world.list(), params, limit: 1000 });
  const conversations = await http.get<{ data: { id: string; memoryCount: number }[] }>(
    '/api/conversations?limit=1000',
  );
  const seen = conversations.body.data.map(({ id, memoryCount }) => `${id} ${memoryCount}`);
  const listed = [...world.conversations].filter((id) => world.titled.has(id) || world.countIn(id) > 0);
  const wanted = listed.map((id) => `${id} ${world.countIn(id)}`);
  const same = JSON.stringify(seen.toSorted()) === JSON.stringify(wanted.toSorted());
  demand(same, 'conversations differ (seen, then expected)', seen.toSorted(), wanted.toSorted());
  await checkTopics(http, world);
}

/** Names and counts; a topic that no memory has any more may be listed with 0. */
export async function checkTopics(http: Client, world: World): Promise<void> {
  const reply = await http.get<{ data: { name: string; memoryCount: number }[] }>('/api/topics?limit=1000');
  demand(reply.status === 200, `topics answers ${reply.status}`, reply.text);
  const used = reply.body.data.filter((topic) => topic.memoryCount > 0);
  const seen = used.map(({ name, memoryCount }) => `${name} ${memoryCount}`).toSorted();
  const wanted = [...world.topicCounts()].map(([name, count]) => `${name} ${count}`).toSorted();
  demand(
    JSON.stringify(seen) === JSON.stringify(wanted),
    'topics differ (seen, then expected)',
    seen,
    wanted,
  );
}
