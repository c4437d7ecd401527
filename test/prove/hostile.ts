import { newDatabase } from '../support/database.ts';
import { type Random, randomFrom } from '../support/random.ts';
import { createUserKey, type Server, startServer } from '../support/server.ts';
import { HonestClients, percentile } from './honest-clients.ts';
import { hostileKinds, prepareHostileStore, startHostile } from './hostile-clients.ts';
import { demand, type Proof, type ProofContext, type ProofResult } from './proof.ts';
import { residentMb } from './resident-memory.ts';

const sizes = {
  small: { hostile: 16, aloneMs: 2000, duringMs: 5000, memories: 60 },
  full: { hostile: 64, aloneMs: 15_000, duringMs: 60_000, memories: 400 },
};
const honestCount = 8;
/** Bound of the ratio of the honest clients' p95 with hostile ones to theirs alone in the same run. */
const ratioMax = 10;
/** What the process may take: its own some 300 MB, 256 MB of unread responses, and what it works on. */
const residentMbMax = 1500;
const memoryEveryMs = 200;

/** Clients that do all they can to take the service from others. */
export const hostile: Proof = {
  name: 'hostile',
  claim: 'honest clients are answered in time beside hostile ones, and the process lives within its memory',
  run: proveHostile,
};

async function proveHostile(context: ProofContext): Promise<ProofResult> {
  const size = sizes[context.size];
  const random = randomFrom(context.seed);
  const database = await newDatabase(context.engine);
  const server = await startServer({ databaseUrl: database.url });
  const memory = watchMemory(server);
  try {
    const attacker = await createUserKey(database.url, 'attacker');
    await prepareHostileStore(server.url, attacker, size.memories);
    const honest = await newHonest(server, database.url, random);
    const alone = await honest.run(size.aloneMs);
    context.log(`alone: ${describe(alone)}`);
    const attack = await startHostile({ url: server.url, key: attacker, count: size.hostile, random });
    const during = await honest.run(size.duringMs);
    const counts = await attack.stop();
    context.log(`beside: ${describe(during)}; hostile: ${JSON.stringify(counts)}; memory ${memory.max()} MB`);
    for (const kind of hostileKinds) demand((counts[kind] ?? 0) > 0, `no hostile client was ${kind}`, counts);
    demand(during.length > 0, 'no honest client was answered');
    demand(memory.max() <= residentMbMax, `the process took ${memory.max()} MB`);
    const [p95, p95Alone] = [percentile(during, 0.95), percentile(alone, 0.95)];
    if (context.size === 'full')
      demand(p95 <= ratioMax * p95Alone, `p95 ${p95} ms beside, ${p95Alone} ms alone`);
    await demandNoRestart(server);
    return { counted: { honest: during.length, 'p95 alone': p95Alone, p95, 'max MB': memory.max() } };
  } finally {
    memory.end();
    await server.kill();
    await database.drop();
  }
}

async function newHonest(server: Server, databaseUrl: string, random: Random): Promise<HonestClients> {
  const keys: string[] = [];
  for (let i = 0; i < honestCount; i++) keys.push(await createUserKey(databaseUrl, `honest-${i}`));
  const honest = new HonestClients(server.url, keys, random);
  await honest.prepare();
  return honest;
}

function describe(times: readonly number[]): string {
  return `${times.length} answers, p50 ${percentile(times, 0.5)} ms, p95 ${percentile(times, 0.95)} ms, worst ${Math.max(...times).toFixed(0)} ms`;
}

/** Its own process, never another in its place: SIGTERM ends it in order. */
async function demandNoRestart(server: Server): Promise<void> {
  const alive = await fetch(`${server.url}/livez`);
  demand(alive.status === 200, 'the process does not answer', server.output());
  const code = await server.stop();
  demand(code === 0, `SIGTERM ended with ${code}`, server.output());
}

function watchMemory({ pid }: Server) {
  let max = 0;
  const timer = setInterval(() => {
    max = Math.max(max, residentMb(pid) ?? 0);
  }, memoryEveryMs);
  return { max: () => max, end: () => clearInterval(timer) };
}
