import { setTimeout as delay } from 'node:timers/promises';
import { newDatabase } from '../support/database.ts';
import { type Client, client, type Reply } from '../support/http-client.ts';
import { type Random, randomFrom } from '../support/random.ts';
import { createUserKey, runMemoryd, type Server, startServer } from '../support/server.ts';
import { checkAgreement } from './fleet-agreement.ts';
import { demand, type Proof, type ProofContext, type ProofResult } from './proof.ts';
import { newText, wordOf } from './unique-text.ts';

const sizes = { small: { seconds: 8, everyMs: 3000 }, full: { seconds: 60, everyMs: 4000 } };
const processes = 3;
const users = 4;
const writersPerUser = 2;
const againMs = 100;
const triesMax = 300;

/** Three services on one database, balanced anywhere and by user; one after the other is killed and started again. */
export const fleet: Proof = {
  name: 'fleet',
  claim: 'three processes on one database agree on everything acknowledged, while they are killed in turn',
  run: proveFleet,
};

/** Which process a request of a user goes to. */
type Balance = (user: number, random: Random) => number;
const balances: Readonly<Record<string, Balance>> = {
  anywhere: (_user, random) => random.int(0, processes - 1),
  'by user': (user) => user % processes,
};

interface Acknowledged {
  readonly id: string;
  readonly content: string;
}

interface Counted {
  created: number;
  found: number;
  'tried again': number;
  killed: number;
}

async function proveFleet(context: ProofContext): Promise<ProofResult> {
  if (context.engine === 'sqlite') return { skipped: 'one process serves an SQLite file' };
  const { seconds, everyMs } = sizes[context.size];
  const database = await newDatabase('postgres');
  const start = () => startServer({ databaseUrl: database.url });
  const running: Server[] = [];
  try {
    for (let i = 0; i < processes; i++) running.push(await start());
    const keys: string[] = [];
    for (let i = 0; i < users; i++) keys.push(await createUserKey(database.url, `user-${i}`));
    const counted: Counted = { created: 0, found: 0, 'tried again': 0, killed: 0 };
    const known: Acknowledged[][] = keys.map(() => []);
    for (const [name, balance] of Object.entries(balances)) {
      const end = performance.now() + seconds * 1000;
      const isOver = () => performance.now() >= end;
      const writers = Array.from({ length: users * writersPerUser }, (_, i) => {
        const user = i % users;
        const random = randomFrom(context.seed + i);
        const ask: Ask = (send) => toAny(send, { running, key: keys[user], counted }, balance(user, random));
        return writeUntil(isOver, { ask, random, counted, known: known[user] });
      });
      await Promise.all([killInTurn(isOver, { running, start, everyMs, counted }), ...writers]);
      context.log(`balanced ${name}: ${JSON.stringify(counted)}`);
    }
    demand(counted.killed > 0 && counted.created > 0, 'nothing was killed or created', counted);
    await checkEverywhere(running, keys, known);
    const urls = running.map(({ url }) => url);
    await checkAgreement({ urls, key: keys[0], databaseUrl: database.url });
    const check = await runMemoryd(database.url, ['check']);
    demand(check.code === 0, '`memoryd check` found faults', check.stdout, check.stderr);
    for (const server of running)
      demand((await server.stop()) === 0, 'a service did not stop in order', server.output());
    return { counted: { ...counted } };
  } finally {
    for (const server of running) await server.kill();
    await database.drop();
  }
}

type Ask = <T>(send: (http: Client) => Promise<Reply<T>>) => Promise<Reply<T>>;

/** As a balancer does: what a process does not take, or does not answer, goes to the next one. */
async function toAny<T>(
  send: (http: Client) => Promise<Reply<T>>,
  { running, key, counted }: { running: readonly Server[]; key: string; counted: Counted },
  first: number,
): Promise<Reply<T>> {
  for (let tries = 0; ; tries++) {
    // A refused connection and one that ended in the middle of an answer alike: the process was killed.
    const reply = await send(client(running[(first + tries) % processes].url, key)).catch(() => undefined);
    if (reply && reply.status !== 503) return reply;
    demand(tries < triesMax, 'no process answers', reply?.text);
    counted['tried again'] += 1;
    await delay(againMs);
  }
}

interface Writing {
  readonly ask: Ask;
  readonly random: Random;
  readonly counted: Counted;
  readonly known: Acknowledged[];
}

type Created = { data: { id: string } };
type Found = { data: { id: string; content: string }[] };

const search = (http: Client, content: string) =>
  http.get<Found>(`/api/memories/search?searchMethod=keyword&context=false&limit=20&q=${wordOf(content)}`);

/** Creates, then reads and searches that, each by whichever process takes it. */
async function writeUntil(isOver: () => boolean, { ask, random, counted, known }: Writing): Promise<void> {
  while (!isOver()) {
    const content = newText(random);
    const key = { 'idempotency-key': wordOf(content) };
    const made = await ask((http) => http.post<Created>('/api/memories', { content }, key));
    demand(made.status === 201, `a create answered ${made.status}`, made.text);
    const { id } = made.body.data;
    known.push({ id, content });
    counted.created += 1;
    const read = await ask((http) => http.get(`/api/memories/${id}`));
    demand(read.status === 200, 'what was acknowledged cannot be read', read.text);
    const found = await ask((http) => search(http, content));
    demand(isOnce(found, { id, content }), 'what was acknowledged is not found once', content, found.text);
    counted.found += 1;
  }
}

const isOnce = ({ body }: Reply<Found>, { id, content }: Acknowledged) =>
  body.data.length === 1 && body.data[0].id === id && body.data[0].content === content;

async function killInTurn(
  isOver: () => boolean,
  {
    running,
    start,
    everyMs,
    counted,
  }: { running: Server[]; start: () => Promise<Server>; everyMs: number; counted: Counted },
): Promise<void> {
  for (let turn = 0; ; turn++) {
    await delay(everyMs);
    if (isOver()) return;
    const at = turn % processes;
    await running[at].kill();
    counted.killed += 1;
    running[at] = await start();
  }
}

/** Each process has each memory that was acknowledged, once, and no other. */
async function checkEverywhere(
  running: readonly Server[],
  keys: readonly string[],
  known: readonly (readonly Acknowledged[])[],
): Promise<void> {
  for (const [user, key] of keys.entries())
    for (const { url } of running) {
      const http = client(url, key);
      for (const one of known[user]) {
        const found = await search(http, one.content);
        demand(found.status === 200 && isOnce(found, one), 'a memory is not there once', one, found.text);
      }
      const listed = await http.get<{ pagination: { count: number } }>('/api/memories?limit=1');
      const { count } = listed.body.pagination;
      demand(
        count === known[user].length,
        'memories that were never acknowledged',
        count,
        known[user].length,
      );
    }
}
