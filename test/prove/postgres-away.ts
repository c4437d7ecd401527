import { setTimeout as delay } from 'node:timers/promises';
import { newDatabase } from '../support/database.ts';
import { type Client, client, type Reply } from '../support/http-client.ts';
import { endConnections } from '../support/postgres-client.ts';
import { type Random, randomFrom } from '../support/random.ts';
import { createUserKey, runMemoryd, type Server, startServer } from '../support/server.ts';
import { demand, type Proof, type ProofContext, type ProofResult } from './proof.ts';
import { newText, wordOf } from './unique-text.ts';

const sizes = { small: { seconds: 6, everyMs: 700 }, full: { seconds: 60, everyMs: 500 } };
const writers = 16;
const users = 4;
const servers = 2;
const triesMax = 100;
const againMs = 100;

/** Memories are written and searched by 16 writers of 4 users through two services while their connections are ended. */
export const postgresAway: Proof = {
  name: 'postgres-away',
  claim: 'connections to PostgreSQL ended at random lose nothing acknowledged and end no service',
  run: provePostgresAway,
};

/** What a writer sent, and the memory's id where it was answered 201: 503 leaves open whether the write is there. */
interface Sent {
  readonly content: string;
  readonly id: string | undefined;
}

interface Counted {
  requests: number;
  refused: number;
}

async function provePostgresAway(context: ProofContext): Promise<ProofResult> {
  if (context.engine === 'sqlite') return { skipped: 'SQLite has no connections to end' };
  const { seconds, everyMs } = sizes[context.size];
  const random = randomFrom(context.seed);
  const database = await newDatabase('postgres');
  const running: Server[] = [];
  try {
    for (let i = 0; i < servers; i++) running.push(await startServer({ databaseUrl: database.url }));
    const keys: string[] = [];
    for (let i = 0; i < users; i++) keys.push(await createUserKey(database.url, `writer-${i}`));
    const clientOf = (i: number) => client(running[i % servers].url, keys[Math.floor(i / servers) % users]);
    const end = performance.now() + seconds * 1000;
    const isOver = () => performance.now() >= end;
    const counted: Counted = { requests: 0, refused: 0 };
    const working = Array.from({ length: writers }, (_, i) =>
      writeUntil(isOver, clientOf(i), randomFrom(random.int(0, 2 ** 31)), counted),
    );
    const [ended, ...sent] = await Promise.all([
      endAtRandom(database.url, random, { everyMs, isOver }),
      ...working,
    ]);
    context.log(`${ended} connections ended, ${counted.requests} requests, ${counted.refused} answered 503`);
    demand(ended > 0 && counted.refused > 0, 'no connection was ended beneath a request', ended, counted);
    const acknowledged = sent.flat().filter(({ id }) => id !== undefined).length;
    demand(acknowledged > 0, 'nothing was acknowledged', counted);
    await Promise.all(sent.map((texts, i) => checkSent(clientOf(i), texts)));
    const check = await runMemoryd(database.url, ['check']);
    demand(check.code === 0, '`memoryd check` found faults', check.stdout, check.stderr);
    for (const server of running)
      demand((await server.stop()) === 0, 'a service did not stop in order', server.output());
    return { counted: { ...counted, 'connections ended': ended, 'creates acknowledged': acknowledged } };
  } finally {
    for (const server of running) await server.kill();
    await database.drop();
  }
}

/** Creates and searches until the time is over; any status but success and 503 fails. */
async function writeUntil(
  isOver: () => boolean,
  http: Client,
  random: Random,
  counted: Counted,
): Promise<Sent[]> {
  const sent: Sent[] = [];
  const see = (reply: Reply<unknown>, success: number) => {
    counted.requests += 1;
    demand([success, 503].includes(reply.status), `a request answered ${reply.status}`, reply.text);
    if (reply.status === 503) counted.refused += 1;
    return reply.status === success;
  };
  while (!isOver()) {
    const content = newText(random);
    const created = await create(http, content);
    const isThere = see(created, 201);
    if (!isThere) await delay(againMs);
    sent.push({ content, id: isThere ? created.body.data.id : undefined });
    const asked = random.pick(sent);
    const found = await search(http, asked.content);
    if (see(found, 200) && asked.id !== undefined)
      demand(timesIn(found, asked) === 1, 'a search did not find what was acknowledged', asked, found.text);
  }
  return sent;
}

type Created = { data: { id: string } };
type Found = { data: { id: string; content: string }[] };

function create(http: Client, content: string): Promise<Reply<Created>> {
  return http.post<Created>('/api/memories', { content }, { 'idempotency-key': wordOf(content) });
}

function search(http: Client, content: string): Promise<Reply<Found>> {
  return http.get<Found>(`/api/memories/search?searchMethod=keyword&limit=20&q=${wordOf(content)}`);
}

/** How many of those found have the content, and the id of the memory; those around it in its conversation come along. */
function timesIn({ body }: Reply<Found>, { content, id }: Sent): number {
  const found = body.data.filter((memory) => memory.content === content);
  return found.every((memory) => memory.id === id) ? found.length : 0;
}

/** @returns how many connections were ended: all of the database, those of the serving locks, or some */
async function endAtRandom(
  url: string,
  random: Random,
  { everyMs, isOver }: { everyMs: number; isOver: () => boolean },
): Promise<number> {
  let ended = 0;
  while (!isOver()) {
    await delay(random.float() * 2 * everyMs);
    const choice = random.float();
    if (choice < 0.3) ended += await endConnections(url);
    else if (choice < 0.5) ended += await endConnections(url, { who: 'memoryd lock' });
    else ended += await endConnections(url, { atMost: random.int(1, 4) });
  }
  return ended;
}

/** What was acknowledged is there once; so is the rest when it is sent again with its `Idempotency-Key`. */
async function checkSent(http: Client, sent: readonly Sent[]): Promise<void> {
  for (const { content, id } of sent) {
    const again = id === undefined ? await patiently(() => create(http, content)) : undefined;
    demand(
      again === undefined || again.status === 201,
      'a create that is sent again is refused',
      again?.text,
    );
    const expected = id ?? again?.body.data.id;
    const found = await patiently(() => search(http, content));
    const isThere = timesIn(found, { content, id: expected }) === 1;
    demand(isThere, `memory ${expected} was acknowledged and is not there once`, content, found.text);
  }
}

/** The last connections may have been ended a moment ago. */
async function patiently<T>(send: () => Promise<Reply<T>>): Promise<Reply<T>> {
  for (let tries = 1; ; tries++) {
    const reply = await send();
    if (reply.status !== 503 || tries === triesMax) return reply;
    await delay(againMs);
  }
}
