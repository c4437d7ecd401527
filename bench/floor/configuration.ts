import { setTimeout as delay } from 'node:timers/promises';
import { awaitSteps } from '../../test/support/await-steps.ts';
import { client } from '../../test/support/http-client.ts';
import { type Random, randomFrom } from '../../test/support/random.ts';
import { callUntilResponse, openConnection } from '../http/connection.ts';
import { type Corpus, generateCorpus } from '../http/corpus.ts';
import { untilEmbedded } from '../http/embed.ts';
import { englishWords } from '../http/english-words.ts';
import { loadFloor, loadOurs } from '../http/load.ts';
import { measureCreates } from '../http/measure-create.ts';
import { measureSearches, type Way } from '../http/measure-search.ts';
import { type Floor, type Ours, residentMiB, startFloor, startOurs } from '../http/processes.ts';
import { talkTexts } from '../http/talk-texts.ts';
import { measureReadiness } from './readiness.ts';
import { type ReadSide, readByTurns, readUnderSearches } from './reads.ts';

/** How much is measured. */
export interface Plan {
  readonly few: number;
  readonly many: number;
  readonly starts: number;
  readonly rounds: number;
  readonly queriesPerRound: number;
  readonly createMs: number;
  readonly readSeconds: number;
  /**
   * Pauses before resident memory is read: after a start, in which the rest is loaded, and after work, in which
   * the thread that derives ends; the process gives back the memory of garbage in both.
   */
  readonly pausesMs: { readonly afterStart: number; readonly afterWork: number };
}

/** One line of the table; `goal` bounds the ratio, or the figure itself. */
export interface Line {
  readonly what: string;
  readonly ours: number;
  readonly floor?: number;
  readonly goal?: { readonly ratio?: number; readonly at?: number; readonly isLeast?: boolean };
}

const dimension = 384;
const storedReads = 200;
const searchesPerSecond = 50;
/** Searches of one client while background work is waited for. */
const waitSearchEveryMs = 100;

interface Run {
  readonly plan: Plan;
  readonly floor: Floor;
  readonly ours: Ours;
  readonly lines: Line[];
  readonly log: (text: string) => void;
}

/** Measures one configuration next to the floor, in one run; about four minutes with 10,000 memories. */
export async function measureConfiguration(
  env: Readonly<Record<string, string>>,
  plan: Plan,
  log: (text: string) => void,
): Promise<Line[]> {
  const lines: Line[] = [];
  log('starts');
  const { ours: start, floor: floorStart } = await measureReadiness(env, {
    starts: plan.starts,
    pauseMs: plan.pausesMs.afterStart,
  });
  const floor = await startFloor();
  const ours = await startOurs('sqlite', env);
  try {
    const run: Run = { plan, floor, ours, lines, log };
    await measureSmall(run);
    await measureLarge(run);
  } finally {
    await floor.stop();
    await ours.stop();
  }
  lines.push(
    { what: 'idle, MiB', ours: start.idleMiB, floor: floorStart.idleMiB, goal: { at: 140 } },
    { what: 'start to ready, ms', ours: start.readyMs, floor: floorStart.readyMs, goal: { at: 700 } },
  );
  return lines;
}

/** Few memories and nothing waiting, then creates by a user of their own. */
async function measureSmall(run: Run): Promise<void> {
  const { plan, ours, floor, lines, log } = run;
  const corpus = generateCorpus(plan.few, plan.few, talkTexts());
  const owner = { url: ours.server.url, key: await ours.keyOf('small') };
  log(`${plan.few} memories`);
  await loadOurs(owner, corpus);
  await loadFloor(floor.url, 'small', corpus, vectors(1));
  await untilDone(owner);
  const sides = sidesOf(run, owner, 'small');
  lines.push(...(await searchLines(sides, run, { corpus, size: plan.few, state: 'quiet' })));
  lines.push(await getLine(run, await readSides(sides), plan.few));
  log('creates');
  const words = englishWords();
  const vectorOf = vectors(2);
  const writing = { url: ours.server.url, key: await ours.keyOf('writer'), path: '/api/memories' };
  const [rate, single] = await measureCreates(
    { url: floor.url, path: '/creates/memories', further: () => ({ vector: vectorOf() }) },
    writing,
    {
      rounds: plan.rounds,
      writeMs: plan.createMs,
      singleCreates: 200,
      targets: { against: 'floor', rate: 0.35, time: 2.2 },
      words,
    },
  );
  lines.push(
    {
      what: 'creates/s, 32 clients',
      ours: rate.ours,
      floor: rate.base,
      goal: { ratio: 0.35, isLeast: true },
    },
    { what: 'create, one client, p50', ours: single.ours, floor: single.base, goal: { ratio: 2.2 } },
  );
  log('the background work of the creates');
  await untilDone({ url: writing.url, key: writing.key });
}

/** Many memories: while they wait for derivation and vectors, and after that. */
async function measureLarge(run: Run): Promise<void> {
  const { plan, ours, floor, lines, log } = run;
  const corpus = generateCorpus(plan.many, plan.many, talkTexts());
  const owner = { url: ours.server.url, key: ours.server.key };
  log(`${plan.many} memories`);
  await loadFloor(floor.url, 'large', corpus, vectors(3));
  const began = performance.now();
  await loadOurs(owner, corpus);
  const loadedMs = performance.now() - began;
  const sides = sidesOf(run, owner, 'large');
  log('reads under background work');
  const queries = corpus.queries(2000, 77);
  const reads = await readSides(sides);
  const [floorReads, ownReads] = [1, 0].map((i) => reads[i]);
  const options = { seconds: plan.readSeconds, perSecond: searchesPerSecond };
  const busy = await readUnderSearches(ownReads, queries, options);
  const during = await searchLines(sides, run, { corpus, size: plan.many, state: 'background' });
  const searchedMs = await untilDone(owner, { searches: sides[0], queries });
  const doneSeconds = (performance.now() - began) / 1000;
  await delay(plan.pausesMs.afterWork);
  const residents = { ours: residentMiB(ours.server.pid), floor: residentMiB(floor.pid) };
  log(`reads and searches, quiet; ${searchedMs.length} searches came during the background work`);
  const quiet = await searchLines(sides, run, { corpus, size: plan.many, state: 'quiet' });
  lines.push(...quiet, ...during, await getLine(run, reads, plan.many));
  const quietReads = await readUnderSearches(ownReads, queries, options);
  const floorQuiet = await readUnderSearches(floorReads, queries, options);
  const state = `${searchesPerSecond} keyword searches/s, ${plan.many}`;
  lines.push(
    {
      what: `GET p99, ${state}, background`,
      ours: busy.p99,
      floor: floorQuiet.p99,
      goal: { ratio: 8, at: 10 },
    },
    { what: `GET p99, ${state}, quiet`, ours: quietReads.p99, floor: floorQuiet.p99 },
    { what: `loaded, ${plan.many}, seconds`, ours: loadedMs / 1000 },
    { what: `derived and embedded, ${plan.many}, seconds`, ours: doneSeconds, goal: { at: 60 } },
    { what: `resident after ${plan.many}, MiB`, ...residents, goal: { at: 250 } },
  );
}

/** Ours, then the floor. */
type Sides = readonly [Way, Way];

function sidesOf({ floor }: Run, owner: { url: string; key: string }, store: string): Sides {
  const vectorOf = vectors(4);
  return [
    { name: 'ours', ...owner, path: '/api/memories/search' },
    {
      name: 'floor',
      url: floor.url,
      path: `/${store}`,
      toBody: (query) => ({ query, vector: vectorOf() }),
    },
  ];
}

async function searchLines(
  [own, floor]: Sides,
  { plan }: Run,
  { corpus, size, state }: { corpus: Corpus; size: number; state: 'quiet' | 'background' },
): Promise<Line[]> {
  const { rounds, queriesPerRound } = plan;
  const warmUp = state === 'quiet' ? 2 * queriesPerRound : 10;
  const count = warmUp + rounds * queriesPerRound;
  const lines: Line[] = [];
  for (const [i, method] of (['hybrid', 'keyword'] as const).entries()) {
    const ways = [
      { ...own, parameters: { searchMethod: method } },
      { ...floor, path: `${floor.path}/${method === 'hybrid' ? 'hybrid' : 'search'}` },
    ];
    // Words of the corpus in another order for each: no answer and no vector of a query is known before.
    const queries = corpus.queries(count, size + 10 * i + (state === 'quiet' ? 0 : 1));
    const times = await measureSearches(ways, { rounds, queriesPerRound, warmUp, queries });
    for (const point of ['p50', 'p95'] as const)
      lines.push({
        what: `${method} ${point}, ${size}, ${state}`,
        ours: times.ours[point],
        floor: times.floor[point],
        goal: method === 'hybrid' && point === 'p50' && state === 'quiet' ? hybridGoal(size) : undefined,
      });
  }
  return lines;
}

const hybridGoal = (size: number) => (size < 10_000 ? { at: 4, ratio: 3.5 } : { ratio: 1 });

async function getLine({ plan }: Run, reads: readonly ReadSide[], size: number): Promise<Line> {
  const [ours, floor] = await readByTurns(reads, { turns: plan.rounds * 4, perTurn: 50 });
  return { what: `GET by id, p50, ${size}`, ours, floor };
}

/** Both sides with ids of memories that they found. */
async function readSides([own, floor]: Sides): Promise<ReadSide[]> {
  const ids = async (url: string, path: string, key?: string) => {
    const connection = await openConnection(url, key);
    const found = new Set<string>();
    for (const query of ['the', 'good', 'time', 'work', 'day', 'home', 'year', 'new', 'week', 'think']) {
      const body = { query, limit: 20, searchMethod: 'keyword' };
      const call = { method: 'POST' as const, path, body };
      const { data } = (await callUntilResponse<{ data: Found[] }>(connection, call, 200)).body;
      for (const each of data) found.add('memory' in each ? each.memory.id : each.id);
    }
    connection.close();
    if (found.size === 0) throw new Error('hollow: nothing to read');
    return [...found].slice(0, storedReads);
  };
  const ours = '/api/memories';
  const floorSearch = `${floor.path}/search`;
  return [
    {
      url: own.url,
      key: own.key,
      path: ours,
      searchPath: own.path,
      ids: await ids(own.url, own.path, own.key),
    },
    {
      url: floor.url,
      path: `${floor.path}/memories`,
      searchPath: floorSearch,
      ids: await ids(floor.url, floorSearch),
    },
  ];
}

type Found = { id: string } | { memory: { id: string } };

/** Times in ms of the searches of one client until all background work is done. */
async function untilDone(
  owner: { url: string; key: string },
  during?: { searches: Way; queries: readonly string[] },
): Promise<number[]> {
  const http = client(owner.url, owner.key);
  const times: number[] = [];
  let isDone = false;
  const done = (async () => {
    await awaitSteps(http, 250);
    await untilEmbedded(owner, 250);
    isDone = true;
  })();
  if (during) {
    const connection = await openConnection(owner.url, owner.key);
    for (let n = 0; !isDone; n++) {
      const body = { query: during.queries[n % during.queries.length], limit: 20 };
      const call = { method: 'POST' as const, path: during.searches.path, body };
      times.push((await callUntilResponse(connection, call, 200)).ms);
      await delay(waitSearchEveryMs);
    }
    connection.close();
  }
  await done;
  return times;
}

/** Unit vectors in base64, by turns of some hundred. */
function vectors(seed: number): () => string {
  const random = randomFrom(seed);
  const made = Array.from({ length: 256 }, () => unitVector(random));
  let next = 0;
  return () => made[next++ % made.length];
}

function unitVector(random: Random): string {
  const numbers = Float32Array.from({ length: dimension }, () => random.float() - 0.5);
  const length = Math.hypot(...numbers);
  return Buffer.from(numbers.map((number) => number / length).buffer).toString('base64');
}
