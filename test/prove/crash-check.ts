import { mapConcurrently } from '../support/concurrently.ts';
import type { Client } from '../support/http-client.ts';
import type { Chain, Entry, Quiesced, WriterLog } from './crash-ledger.ts';
import { demand } from './proof.ts';
import { wordOf } from './unique-text.ts';

interface MemoryBody {
  id: string;
  content: string;
  conversationId: string;
}
interface HistoryBody {
  versions: { id: string; content: string; version: number }[];
}

const readersMax = 16;

/** Memories by the conversation that holds them. */
type Conversations = Map<string, Set<string>>;

/**
 * Reads back everything the writers asked for: acknowledged is there, the rest is whole or absent, and every
 * conversation counts exactly what it holds. Half of the creates that were not answered are sent again with their
 * `Idempotency-Key`, and are there once. Gives what must still be there after every later crash.
 */
export async function checkAfterCrash(http: Client, logs: readonly WriterLog[]): Promise<Quiesced[]> {
  const quiesced: Quiesced[] = [];
  const conversations: Conversations = new Map();
  const keep = (memory: MemoryBody, findable: boolean) => {
    const members = conversations.get(memory.conversationId) ?? new Set();
    conversations.set(memory.conversationId, members.add(memory.id));
    if (findable) quiesced.push({ id: memory.id, content: memory.content });
  };
  const entries = logs.flatMap((log) => log.entries);
  const unanswered = entries.filter(({ created }) => !created);
  await mapConcurrently(unanswered, readersMax, async (entry, i) => {
    if (i % 2 === 0) await sendAgain(http, entry);
  });
  await mapConcurrently(entries, readersMax, async (entry) => {
    const memory = await readEntry(http, entry);
    if (memory) keep(memory, true);
  });
  await mapConcurrently(logs, readersMax, async ({ chain }) => {
    const versions = await readChain(http, chain);
    for (const [index, version] of versions.entries()) keep(version, index === versions.length - 1);
  });
  const both = [...conversations];
  await mapConcurrently(both, readersMax, ([id, members]) => checkConversation(http, id, members));
  return quiesced;
}

/** By id and by its own word, with the content as it was. */
export async function checkQuiesced(http: Client, memories: readonly Quiesced[]): Promise<void> {
  await mapConcurrently(memories, readersMax, async ({ id, content }) => {
    const memory = await readMemory(http, id);
    demand(memory?.content === content, `memory ${id} changed or was lost`, memory, content);
    const found = await findByWord(http, wordOf(content));
    demand(found.includes(id), `memory ${id} is not found by its word`, found, content);
  });
}

async function sendAgain(http: Client, entry: Entry): Promise<void> {
  const { key, body } = entry.request;
  const reply = await http.post<{ data: { id: string } }>('/api/memories', body, { 'idempotency-key': key });
  demand(reply.status === 201, `a create sent again answered ${reply.status}`, reply.text, entry);
  entry.id = reply.body.data.id;
  entry.created = true;
}

async function readEntry(http: Client, entry: Entry): Promise<MemoryBody | undefined> {
  const found = (await Promise.all(entry.texts.map((text) => findByWord(http, wordOf(text))))).flat();
  const id = entry.id ?? found[0];
  const memory = id === undefined ? undefined : await readMemory(http, id);
  if (entry.deletion === 'done') demand(memory === undefined, 'a deleted memory came back', memory, entry);
  else if (entry.created && entry.deletion === 'none')
    demand(memory !== undefined, 'an acknowledged memory is lost', entry);
  if (memory === undefined) {
    demand(found.length === 0, 'a memory that is not there is found by its word', found, entry);
    return undefined;
  }
  demand(entry.texts.includes(memory.content), 'a memory holds a text nobody wrote', memory, entry);
  demand(found.length === 1 && found[0] === id, 'a memory is not found by exactly its word', found, memory);
  const byWord = await findByWord(http, wordOf(memory.content));
  demand(byWord[0] === id, 'a memory is found by the word of another text', memory, entry);
  return memory;
}

async function readChain(http: Client, chain: Chain): Promise<MemoryBody[]> {
  const path = `/api/memories/named/${chain.name}`;
  const head = await http.get<{ data: MemoryBody }>(path);
  if (chain.acknowledged.length === 0 && head.status === 404) return [];
  demand(head.status === 200, `${path} answered ${head.status}`, head.text, chain);
  const possible = [chain.acknowledged, [...chain.acknowledged, chain.asked ?? '']];
  const history = await http.get<HistoryBody>(`${path}/history`);
  demand(history.status === 200, `history answered ${history.status}`, history.text);
  const versions = history.body.versions.toReversed();
  const texts = versions.map((version) => version.content);
  const whole = possible.some((expected) => JSON.stringify(expected) === JSON.stringify(texts));
  demand(whole, 'the versions of a named memory are not those written', texts, chain);
  demand(head.body.data.content === texts.at(-1), 'the head is not the newest version', head.text, texts);
  const found = await findByWord(http, wordOf(head.body.data.content));
  demand(found.includes(head.body.data.id), 'the head is not found by its word', found, head.text);
  return mapConcurrently(versions, 4, async ({ id, content }) => {
    const memory = await readMemory(http, id);
    demand(memory?.content === content, 'a version cannot be read by its id', memory, content);
    return memory;
  });
}

async function checkConversation(http: Client, id: string, members: ReadonlySet<string>): Promise<void> {
  const reply = await http.get<{ data: { memoryCount: number } }>(`/api/conversations/${id}`);
  demand(reply.status === 200, `conversation ${id} answered ${reply.status}`, reply.text);
  const timeline = await http.get<{ data: MemoryBody[] }>(`/api/conversations/${id}/timeline`);
  const listed = timeline.body.data.map((memory) => memory.id);
  const missing = [...members].filter((member) => !listed.includes(member));
  const extra = listed.filter((member) => !members.has(member));
  demand(missing.length + extra.length === 0, `conversation ${id} holds other memories`, { missing, extra });
  const count = reply.body.data.memoryCount;
  demand(count === members.size, `conversation ${id} counts ${count}, it holds ${members.size}`);
}

async function readMemory(http: Client, id: string): Promise<MemoryBody | undefined> {
  const reply = await http.get<{ data: MemoryBody }>(`/api/memories/${id}`);
  if (reply.status === 404) return undefined;
  demand(reply.status === 200, `memory ${id} answered ${reply.status}`, reply.text);
  return reply.body.data;
}

/** Memories that contain the word themselves: a search also finds their neighbours in the conversation. */
async function findByWord(http: Client, word: string): Promise<string[]> {
  const reply = await http.get<{ data: (MemoryBody & { matchedVia: string[] })[] }>(
    `/api/memories/search?q=${word}&searchMethod=keyword&mode=content`,
  );
  demand(reply.status === 200, `search answered ${reply.status}`, reply.text);
  const containing = reply.body.data.filter((hit) => hit.matchedVia.includes('fulltext'));
  demand(reply.body.data[0]?.id === containing[0]?.id, 'a memory without the word comes first', reply.text);
  return containing.map((memory) => memory.id);
}
