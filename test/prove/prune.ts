import { type AppFixture, newAppFixture } from '../support/app-fixture.ts';
import { awaitSteps } from '../support/await-steps.ts';
import { mapConcurrently } from '../support/concurrently.ts';
import type { Client } from '../support/http-client.ts';
import { type Random, randomFrom } from '../support/random.ts';
import { demand, type Proof, type ProofContext, type ProofResult } from './proof.ts';
import { type PruneStore, writePruneStore } from './prune-store.ts';

const stores = { small: 50, full: 1000 };
const dayMs = 86_400_000;
const stepsEveryMs = 50;
const atOnce = 8;
const logEvery = 100;

/** Every store is a user of its own. */
export const prune: Proof = {
  name: 'prune',
  claim:
    'a prune takes what its dry run names and spares what it must, and restoring gives the same export to the byte',
  run: provePrune,
};

async function provePrune({ engine, size, seed, log }: ProofContext): Promise<ProofResult> {
  const counted = { stores: 0, memories: 0, pruned: 0, spared: 0 };
  const app = await newAppFixture(engine);
  app.startUpkeep();
  try {
    const seeds = Array.from({ length: stores[size] }, (_, i) => seed + i);
    // Each waits for its memories to be derived, which others can use.
    await mapConcurrently(seeds, atOnce, async (own) => {
      const { memories, pruned, spared } = await proveOne(app, randomFrom(own));
      counted.stores++;
      counted.memories += memories;
      counted.pruned += pruned;
      counted.spared += spared;
      if (counted.stores % logEvery === 0) log(`${counted.stores} stores, ${counted.pruned} memories pruned`);
    });
  } finally {
    await app.close();
  }
  demand(
    counted.pruned > counted.stores && counted.spared > counted.stores,
    'the stores prove something',
    counted,
  );
  return { counted };
}

async function proveOne(app: AppFixture, random: Random) {
  const http = await app.newClient();
  const now = Date.now();
  const store = await writePruneStore(http, random, now);
  await awaitSteps(http, stepsEveryMs);
  const request = {
    minQualityThreshold: random.pick([0.3, 0.45, 0.6, 1]) - random.float() * 0.01,
    preserveRecent: random.chance(0.5),
    recentDaysToPreserve: random.int(0, 30),
    ...(random.chance(0.3) && { targetReduction: random.int(0, 5) }),
  };
  const before = await exportOf(http, store);
  const named = await pruned(http, { ...request, dryRun: true });
  demand((await exportOf(http, store)) === before, 'a dry run changes nothing', request);
  const taken = await pruned(http, request);
  demand(
    JSON.stringify(taken) === JSON.stringify(named),
    'a prune takes what its dry run names',
    request,
    named,
    taken,
  );
  const until = request.preserveRecent
    ? now - request.recentDaysToPreserve * dayMs
    : Number.POSITIVE_INFINITY;
  const wrong = taken.filter(
    (id) => store.kept.has(id) || (store.writtenAt.get(id) ?? 0) > until + dayMs / 24,
  );
  demand(
    wrong.length === 0,
    'a prune spares named memories, ends of narratives and preserved days',
    request,
    wrong,
  );
  await restoreAll(http, taken.length, random);
  await awaitSteps(http, stepsEveryMs);
  const after = await exportOf(http, store);
  demand(after === before, 'restoring gives the same export', request, before, after);
  return { memories: store.ids.length, pruned: taken.length, spared: store.ids.length - taken.length };
}

async function pruned(http: Client, request: object): Promise<readonly string[]> {
  const reply = await http.post<{ data: { prunedIds: string[] } }>('/api/system/memory/prune', request);
  demand(reply.status === 200, `a prune answered ${reply.status}`, request, reply.text);
  return reply.body.data.prunedIds;
}

/** In any order: what was deleted last need not come back first. */
async function restoreAll(http: Client, count: number, random: Random): Promise<void> {
  const entries = (await http.get<{ data: { id: string }[] }>('/api/trash?limit=100')).body.data;
  demand(entries.length === count, 'each pruned memory is an entry of the trash', count, entries);
  while (entries.length > 0) {
    const [entry] = entries.splice(random.int(0, entries.length - 1), 1);
    const reply = await http.post(`/api/trash/${entry?.id}/restore`);
    demand(reply.status === 200, `a restore answered ${reply.status}`, reply.text);
  }
}

/** Everything that clients can read of a store, but for the time of the export. */
async function exportOf(http: Client, { ids }: PruneStore): Promise<string> {
  const paths = [
    '/api/users/me/export',
    '/api/topics?limit=100',
    '/api/entities?limit=100',
    '/api/narratives',
    '/api/memories/stats',
    ...ids.map((id) => `/api/memories/${id}/relationships`),
  ];
  const texts = [(await http.post('/api/memories/export', {})).text];
  for (const path of paths) {
    const reply = await http.get(path);
    demand(reply.status === 200, `${path} answered ${reply.status}`, reply.text);
    texts.push(reply.text.replace(/"exportedAt":"[^"]*"/, ''));
  }
  return texts.join('\n');
}
