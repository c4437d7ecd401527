import type { Reply } from '../support/http-client.ts';
import type { Random } from '../support/random.ts';
import { bulkOperations } from './model-bulk.ts';
import { checkFields, checkListing, checkRecord, checkTopics, type MemoryBody } from './model-checks.ts';
import { memoryTypes, type Operation, type Step, topicNames } from './model-step.ts';
import type { ModelMemory, World } from './model-world.ts';
import { demand } from './proof.ts';
import { newText } from './unique-text.ts';

const names = ['plan', 'notes', 'todo-list', 'r2-d2', 'setup', 'recipe'];
const places = ['shelf', 'box'];
const agentSessions = ['agent-one', 'agent-two'];

/** Every kind of step, by the name that a history prints. */
export const operations: Readonly<Record<string, Operation>> = {
  create: createMemory,
  update: updateMemory,
  rename: renameMemory,
  delete: deleteMemory,
  deleteVersion,
  deleteEdge: deleteSupersession,
  putNamed: putNamedMemory,
  staleHead: putNamedOnOldHead,
  history: readHistory,
  list: listFiltered,
  createConversation,
  deleteConversation,
  topics: ({ http, world }) => checkTopics(http, world),
  restart: ({ random, restart }) => restart(random.pick(['stop', 'kill'])),
  ...bulkOperations,
};

function someMetadata(random: Random): Record<string, unknown> {
  return { place: random.pick(places), deep: { list: [random.int(1, 3), random.chance(0.5)] } };
}

function expectStatus(reply: Reply<unknown>, status: number, what: string): void {
  demand(reply.status === status, `${what} answers ${reply.status}, not ${status}`, reply.text);
}

async function createMemory({ http, world, random }: Step): Promise<void> {
  const body: Record<string, unknown> = {
    content: newText(random),
    topics: random.sample(topicNames, random.int(0, 3)),
    memoryType: random.pick(memoryTypes),
  };
  if (random.chance(0.3)) body.context = `context ${random.int(1, 9)}`;
  if (random.chance(0.4)) body.metadata = someMetadata(random);
  if (random.chance(0.3)) body.name = random.pick(names);
  const place = random.pick(['implicit', 'NEW', 'known', 'known', 'agent']);
  const session = random.pick(agentSessions);
  if (place === 'NEW') body.conversationId = 'NEW';
  if (place === 'known' && world.conversations.size > 0)
    body.conversationId = random.pick([...world.conversations]);
  if (place === 'agent') body.agentSessionId = session;
  const taken = typeof body.name === 'string' && world.named(body.name) !== undefined;
  const reply = await http.post<{
    data: MemoryBody;
    meta: { conversationId: string; conversationCreated: boolean };
    code?: string;
  }>('/api/memories', body);
  if (taken) {
    expectStatus(reply, 409, 'a create with a taken name');
    demand(reply.body.code === 'MEMORY_NAME_CONFLICT', 'the code of a taken name', reply.text);
    return;
  }
  expectStatus(reply, 201, 'a create');
  const { data, meta } = reply.body;
  const known = world.conversations.has(meta.conversationId);
  demand(known !== meta.conversationCreated, 'conversationCreated is wrong', reply.text, [
    ...world.conversations,
  ]);
  if (typeof body.conversationId === 'string' && body.conversationId !== 'NEW')
    demand(meta.conversationId === body.conversationId, 'the memory is in another conversation', reply.text);
  if (body.conversationId === 'NEW') demand(!known, 'NEW gave an old conversation', reply.text);
  if (place === 'agent') {
    const before = world.sessions.get(session);
    demand(before === undefined || before === meta.conversationId, 'an agent session changed', reply.text);
    world.sessions.set(session, meta.conversationId);
  }
  world.conversations.add(meta.conversationId);
  const memory: ModelMemory = {
    id: data.id,
    content: body.content as string,
    topics: body.topics as string[],
    memoryType: body.memoryType as string,
    context: body.context as string | undefined,
    metadata: body.metadata as Record<string, unknown> | undefined,
    conversationId: meta.conversationId,
    name: body.name as string | undefined,
    chain: body.name === undefined ? undefined : data.id,
    version: 1,
    supersedes: undefined,
  };
  world.memories.set(memory.id, memory);
  checkFields(world, memory, data);
  await checkRecord(http, world, memory.id);
}

async function updateMemory({ http, world, random }: Step): Promise<void> {
  const memory = pickMemory(world, random);
  if (!memory) return;
  const changes: Partial<ModelMemory> = {};
  if (random.chance(0.6)) changes.content = newText(random);
  if (random.chance(0.5)) changes.topics = random.sample(topicNames, random.int(0, 4));
  if (random.chance(0.3)) changes.memoryType = random.pick(memoryTypes);
  if (random.chance(0.3)) changes.context = `context ${random.int(1, 9)}`;
  if (random.chance(0.3)) changes.metadata = random.chance(0.3) ? undefined : someMetadata(random);
  const body = 'metadata' in changes ? { ...changes, metadata: changes.metadata ?? null } : changes;
  const reply = await http.put<{ data: MemoryBody }>(`/api/memories/${memory.id}`, body);
  expectStatus(reply, 200, 'an update');
  Object.assign(memory, changes);
  checkFields(world, memory, reply.body.data);
  await checkRecord(http, world, memory.id);
}

async function renameMemory({ http, world, random }: Step): Promise<void> {
  // What a rename does to a chain of several versions is left to the chain's own operations.
  const alone = world.list().filter(({ chain }) => chain === undefined || !world.grownChains.has(chain));
  if (alone.length === 0) return;
  const memory = random.pick(alone);
  const name = random.chance(0.4) ? '' : random.pick(names);
  const owner = world.named(name);
  const reply = await http.put<{ data: MemoryBody }>(`/api/memories/${memory.id}`, { name });
  if (owner && owner !== memory) expectStatus(reply, 409, 'a rename to a taken name');
  else {
    expectStatus(reply, 200, 'a rename');
    memory.name = name === '' ? undefined : name;
    memory.chain = memory.name === undefined ? undefined : (memory.chain ?? memory.id);
  }
  await checkRecord(http, world, memory.id);
}

async function deleteMemory(step: Step): Promise<void> {
  const memory = pickMemory(step.world, step.random);
  if (memory) await deleteOne(step, memory);
}

async function deleteVersion(step: Step): Promise<void> {
  const versions = step.world.versions();
  if (versions.length > 0) await deleteOne(step, step.random.pick(versions));
}

/** The edge that a new version makes by itself; the version before stays outdated. */
async function deleteSupersession({ http, world, random }: Step): Promise<void> {
  const versions = world.versions().filter(({ supersedes }) => world.memories.has(supersedes ?? ''));
  if (versions.length === 0) return;
  const { id, supersedes } = random.pick(versions);
  const edges = await http.get<{ data: { id: string; targetMemoryId: string }[] }>(
    `/api/memories/${id}/relationships?direction=outgoing`,
  );
  const edge = edges.body.data.find(({ targetMemoryId }) => targetMemoryId === supersedes);
  demand(edge !== undefined, 'a version has no edge to the one before', edges.text);
  expectStatus(await http.delete(`/api/memories/${id}/relationships/${edge.id}`), 204, 'deleting an edge');
  const memory = world.memories.get(id);
  if (memory) memory.supersedes = undefined;
  for (const version of world.versions()) await checkRecord(http, world, version.id);
}

async function deleteOne({ http, world }: Step, memory: ModelMemory): Promise<void> {
  expectStatus(await http.delete(`/api/memories/${memory.id}`), 204, 'a delete');
  world.remove(memory.id);
  await checkRecord(http, world, memory.id);
  if (memory.supersedes !== undefined) await checkRecord(http, world, memory.supersedes);
  const chain = world.list().filter((other) => memory.chain !== undefined && other.chain === memory.chain);
  for (const { id } of chain) await checkRecord(http, world, id);
  expectStatus(await http.delete(`/api/memories/${memory.id}`), 404, 'a second delete');
}

async function putNamedMemory({ http, world, random }: Step): Promise<void> {
  if (world.names().length === 0) return;
  const name = random.pick(world.names());
  const head = world.named(name);
  if (!head) return;
  const changes: Partial<ModelMemory> = { content: newText(random) };
  if (random.chance(0.4)) changes.topics = random.sample(topicNames, random.int(0, 3));
  if (random.chance(0.3)) changes.memoryType = random.pick(memoryTypes);
  const body = random.chance(0.5) ? { ...changes, expectedHeadId: head.id } : changes;
  const reply = await http.put<{ data: MemoryBody; meta: { previousVersionId: string; version: number } }>(
    `/api/memories/named/${name}`,
    body,
  );
  expectStatus(reply, 201, 'a new version');
  const { data, meta } = reply.body;
  demand(meta.previousVersionId === head.id, 'previousVersionId is not the old head', reply.text);
  demand(meta.version > head.version, 'a version does not rise', reply.text, head);
  const chain = head.chain ?? head.id;
  head.chain = chain;
  head.name = undefined;
  world.grownChains.add(chain);
  const next = { ...head, ...changes, id: data.id, name, chain, version: meta.version, supersedes: head.id };
  // The page of decisions does not say where a new version goes; wherever that is, it stays there.
  next.conversationId = data.conversationId;
  world.conversations.add(data.conversationId);
  world.memories.set(next.id, next);
  checkFields(world, next, data);
  await checkRecord(http, world, next.id);
  await checkRecord(http, world, head.id);
}

async function putNamedOnOldHead({ http, world, random }: Step): Promise<void> {
  if (world.names().length === 0) return;
  const name = random.pick(world.names());
  const head = world.named(name);
  const other = world.list().find((memory) => memory !== head);
  if (!head || !other) return;
  const body = { content: newText(random), expectedHeadId: other.id };
  const reply = await http.put<{ code: string; details: { currentHeadId: string } }>(
    `/api/memories/named/${name}`,
    body,
  );
  expectStatus(reply, 409, 'a write on an old head');
  demand(reply.body.code === 'MEMORY_HEAD_CONFLICT', 'the code of an old head', reply.text);
  demand(reply.body.details.currentHeadId === head.id, 'currentHeadId is not the head', reply.text);
  await checkRecord(http, world, head.id);
}

async function readHistory({ http, world, random }: Step): Promise<void> {
  if (world.names().length === 0) return;
  const name = random.pick(world.names());
  const head = world.named(name);
  const reply = await http.get<{ name: string; versions: { id: string; content: string }[] }>(
    `/api/memories/named/${name}/history`,
  );
  expectStatus(reply, 200, 'a history');
  const chain = world.list().filter((memory) => memory === head || memory.chain === head?.chain);
  const expected = chain
    .toSorted((a, b) => b.version - a.version)
    .map(({ id, content }) => `${id} ${content}`);
  const seen = reply.body.versions.map(({ id, content }) => `${id} ${content}`);
  demand(JSON.stringify(seen) === JSON.stringify(expected), `history of ${name} differs`, seen, expected);
}

async function listFiltered({ http, world, random }: Step): Promise<void> {
  const params: Record<string, string> = {
    sortBy: random.pick(['createdAt', 'updatedAt']),
    order: random.pick(['asc', 'desc']),
  };
  let expected = world.list();
  if (random.chance(0.5)) {
    const topics = random.sample(topicNames, 2);
    params.topics = topics.join(',');
    expected = expected.filter((memory) => memory.topics.some((topic) => topics.includes(topic)));
  }
  if (random.chance(0.4)) {
    const excluded = random.pick(topicNames);
    params.excludeTopics = excluded;
    expected = expected.filter((memory) => !memory.topics.includes(excluded));
  }
  if (random.chance(0.3)) {
    const place = random.pick(places);
    params['metadata.place'] = place;
    expected = expected.filter(({ metadata }) => metadata?.place === place);
  }
  if (random.chance(0.3) && world.conversations.size > 0) {
    const conversationId = random.pick([...world.conversations]);
    params.conversationId = conversationId;
    expected = expected.filter((memory) => memory.conversationId === conversationId);
  }
  await checkListing(http, world, { expected, params, limit: random.int(3, 50) });
}

async function createConversation({ http, world, random }: Step): Promise<void> {
  const title = newText(random);
  const reply = await http.post<{ data: { id: string; title: string } }>('/api/conversations', { title });
  expectStatus(reply, 201, 'a new conversation');
  demand(reply.body.data.title === title, 'a conversation has another title', reply.text);
  world.conversations.add(reply.body.data.id);
  world.titled.add(reply.body.data.id);
}

async function deleteConversation({ http, world, random }: Step): Promise<void> {
  if (world.conversations.size < 4) return;
  const id = random.pick([...world.conversations]);
  const members = world.list().filter((memory) => memory.conversationId === id);
  expectStatus(await http.delete(`/api/conversations/${id}`), 204, 'deleting a conversation');
  world.removeConversation(id);
  expectStatus(await http.get(`/api/conversations/${id}`), 404, 'a deleted conversation');
  for (const member of members) await checkRecord(http, world, member.id);
}

function pickMemory(world: World, random: Random): ModelMemory | undefined {
  const memories = world.list();
  return memories.length === 0 ? undefined : random.pick(memories);
}
