import { randomUUID } from 'node:crypto';
import { awaitSteps } from '../support/await-steps.ts';
import { mapConcurrently } from '../support/concurrently.ts';
import { newDatabase } from '../support/database.ts';
import { type Client, patientClient } from '../support/http-client.ts';
import { keepsOwnKey, listOperations } from '../support/openapi.ts';
import { type Random, randomFrom } from '../support/random.ts';
import { createUserKey, startServer } from '../support/server.ts';
import { type Ids, probeOperation, type Secrets, withoutTimes } from './isolation-probe.ts';
import { demand, type Proof, type ProofContext, type ProofResult } from './proof.ts';

const sizes = {
  small: { ownMemories: 60, otherMemories: 120 },
  full: { ownMemories: 500, otherMemories: 10_000 },
};
const writers = 16;
const secretWord = 'zvorgliptak';
const vocabulary =
  'garden river music travel coffee project deadline invoice hiking guitar recipe doctor school holiday budget'.split(
    ' ',
  );

/** Two users in one store. */
export const isolation: Proof = {
  name: 'isolation',
  claim: 'nothing of one user appears to another, in any answer, score or difference between answers',
  run: proveIsolation,
};

async function proveIsolation(context: ProofContext): Promise<ProofResult> {
  const size = sizes[context.size];
  const random = randomFrom(context.seed);
  const database = await newDatabase(context.engine);
  const server = await startServer({ databaseUrl: database.url });
  try {
    const a = patientClient(server.url, await createUserKey(database.url, 'user-a'));
    const b = patientClient(server.url, await createUserKey(database.url, 'user-b'));
    await writeMany(a, { count: size.ownMemories, word: 'own', random });
    const secrets = await writeSecrets(b);
    // What is derived of the texts is part of what nobody else may see or change.
    await awaitSteps(a);
    await awaitSteps(b);
    const operations = (await listOperations(a)).filter(keepsOwnKey);
    const before = await readAll(b);
    for (const operation of operations) await probeOperation(a, operation, secrets);
    for (const [index, record] of (await readAll(b)).entries())
      demand(record === before[index], 'something of B changed through requests of A', before[index], record);
    context.log(`${operations.length} operations show nothing and change nothing`);
    const queries = searchesOf(random);
    const responses = await ask(a, queries);
    await writeMany(b, { count: size.otherMemories, word: secretWord, random });
    await awaitSteps(b);
    context.log(`${size.otherMemories} memories of B written`);
    const later = await ask(a, queries);
    for (const [index, response] of responses.entries())
      demand(
        later[index] === response,
        "A's answer changed when B wrote",
        queries[index],
        response,
        later[index],
      );
    const counted = { operations: operations.length, queries: queries.length };
    return { counted: { ...counted, 'memories of B': size.otherMemories } };
  } finally {
    await server.kill();
    await database.drop();
  }
}

async function writeMany(http: Client, plan: { count: number; word: string; random: Random }): Promise<void> {
  const { random } = plan;
  const bodies = Array.from({ length: plan.count }, (_, index) => ({
    content: `${plan.word} ${Array.from({ length: random.int(3, 20) }, () => random.pick(vocabulary)).join(' ')}`,
    topics: random.sample(vocabulary, 2),
    agentSessionId: `${plan.word}-${index % 20}`,
    eventTime: new Date(Date.UTC(2024, index % 12, 1 + (index % 28))).toISOString(),
  }));
  await mapConcurrently(bodies, writers, async (body) => {
    const reply = await http.post('/api/memories', body);
    demand(reply.status === 201, `a create answered ${reply.status}`, reply.text);
  });
}

/** What B keeps to itself, all of it with the secret word in it. */
async function writeSecrets(b: Client): Promise<Secrets> {
  const name = `${secretWord}-name`;
  const create = async (body: Record<string, unknown>) => {
    const reply = await b.post<{ data: { id: string; conversationId: string } }>('/api/memories', {
      content: `the ${secretWord} garden is B's`,
      topics: [`${secretWord}-topic`],
      ...body,
    });
    demand(reply.status === 201, `a create answered ${reply.status}`, reply.text);
    return reply.body.data;
  };
  const memory = await create({ name });
  const other = await create({ conversationId: memory.conversationId });
  const topics = await b.get<{ data: { id: string }[] }>('/api/topics');
  const key = await b.post<{ data: { keyInfo: { id: string } } }>('/api/apikeys', { label: secretWord });
  const me = await b.get<{ data: { id: string } }>('/api/users/me');
  const topic = topics.body.data[0]?.id ?? '';
  const made = async (path: string, body: Record<string, unknown>) => {
    const reply = await b.post<{ data: { id: string } }>(path, { ...body, memoryId: memory.id });
    demand(reply.status === 201, `POST ${path} answered ${reply.status}`, reply.text);
    return reply.body.data.id;
  };
  demand(topic !== '' && key.status === 201, 'B has a topic and a key', topics.text, key.text);
  const ids: Ids = {
    memory: memory.id,
    otherMemory: other.id,
    conversation: memory.conversationId,
    topic,
    fact: await made('/api/facts', { subject: secretWord, predicate: 'is in', object: 'the garden' }),
    artifact: await made('/api/artifacts', { content: secretWord, type: 'note' }),
    import: await made('/api/imports', { source: secretWord }),
    narrative: await made('/api/narratives', { title: secretWord, rootMemoryId: memory.id }),
    key: key.body.data.keyInfo.id,
    name,
  };
  const all = [...Object.values(ids), me.body.data.id, secretWord];
  return { ids, unknown: unknownIds(ids), all };
}

/** For each id one of the same form that nobody has. */
function unknownIds(ids: Ids): Ids {
  const unlike = (id: string) => {
    const fresh = randomUUID().replaceAll('-', '');
    const start = id.lastIndexOf('_') + 1;
    let at = 0;
    const digits = id.slice(start).replaceAll(/[0-9a-f]/g, () => fresh[at++ % fresh.length] ?? '0');
    return id.slice(0, start) + digits;
  };
  return {
    memory: randomUUID(),
    otherMemory: randomUUID(),
    conversation: unlike(ids.conversation),
    topic: unlike(ids.topic),
    fact: randomUUID(),
    artifact: randomUUID(),
    import: randomUUID(),
    narrative: randomUUID(),
    key: unlike(ids.key),
    name: `${'y'.repeat(secretWord.length)}-name`,
  };
}

async function readAll(http: Client): Promise<string[]> {
  const paths = [
    '/api/memories?limit=1000',
    '/api/conversations',
    '/api/topics',
    '/api/facts',
    '/api/entities',
    '/api/topics/communities',
    '/api/artifacts',
    '/api/imports',
    '/api/narratives',
    '/api/apikeys',
  ];
  const replies = await mapConcurrently(paths, 1, (path) => http.get(path));
  for (const reply of replies) demand(reply.status === 200, "B reads what is B's", reply.text);
  return replies.map((reply) => reply.text.replaceAll(/"lastUsedAt":("[^"]*"|null)/g, ''));
}

interface Search {
  path: string;
  body?: Record<string, unknown>;
}

function searchesOf(random: Random): Search[] {
  const words = () => random.sample(vocabulary, random.int(1, 3)).join(' ');
  const gets = Array.from({ length: 12 }, () => `/api/memories/search?q=${encodeURIComponent(words())}`);
  return [
    ...gets.map((path) => ({ path: `${path}&searchMethod=keyword&explain=true` })),
    ...gets.slice(0, 4).map((path) => ({ path: `${path}&includeFacets=true&includeTopics=true&limit=50` })),
    ...gets.slice(0, 4).map((path) => ({ path: `${path}&sortBy=createdAt&order=asc&offset=3` })),
    ...Array.from({ length: 6 }, () => ({
      path: '/api/memories/search',
      body: { query: words(), searchMethod: 'hybrid', threshold: 0, explain: true, limit: 30 },
    })),
    ...Array.from({ length: 3 }, () => ({ path: '/api/conversations/search', body: { query: words() } })),
    { path: '/api/facts/search', body: { query: words() } },
    { path: '/api/topics?limit=100' },
    { path: '/api/entities?limit=100' },
    { path: '/api/memories?limit=100' },
    { path: '/api/memories/stats' },
  ];
}

async function ask(http: Client, searches: readonly Search[]): Promise<string[]> {
  return mapConcurrently(searches, 1, async ({ path, body }) => {
    const reply = body ? await http.post(path, body) : await http.get(path);
    demand(reply.status === 200, `${path} answered ${reply.status}`, reply.text);
    return withoutTimes(reply.text);
  });
}
