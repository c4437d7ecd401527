import { mapConcurrently } from '../../test/support/concurrently.ts';
import type { Engine, TestDatabase } from '../../test/support/server.ts';
import { compareAsOf, editSome } from './as-of.ts';
import { type Corpus, generateCorpus } from './corpus.ts';
import { compareFilters, withMetadata } from './filters.ts';
import { loadFloor, loadOurs, type Owner } from './load.ts';
import { measureConcurrency } from './measure-concurrency.ts';
import { measureCreates } from './measure-create.ts';
import { measureGets } from './measure-get.ts';
import { measureSearches, type SearchTimes, searchPlan, type Way } from './measure-search.ts';
import { type Floor, type Ours, residentMiB, startOurs } from './processes.ts';
import { atMost, type StageResult, type Verdict } from './verdict.ts';

export interface Settings {
  engine: Engine;
  quick: boolean;
  /** Measured rounds; one more warms up. */
  rounds: number;
  sizes: readonly number[];
  /** Whether searches with context and with facets are measured in addition to the plain ones. */
  withContext: boolean;
  /** Other users of the `others` part, 1,000 memories each. */
  others: number;
  /** Embedder of our service in the parts `create`, `meaning` and `embed`. */
  embedder: 'static' | 'bundled' | 'none';
  /** Folder of the store of the part `briefing`, reused by later runs; SQLite only. */
  store: string | undefined;
  /**
   * Settings of this build only: in a comparison with another build,
   * which may not know them, and in the parts `meaning` and `embed`.
   */
  own: Readonly<Record<string, string>>;
}

const otherMemories = 1000;
const concurrencySize = 10_000;

/** Creates against the floor, on an empty store; and the memory that an idle service takes. */
export async function runCreate(floor: Floor, settings: Settings): Promise<StageResult> {
  const run = async (ours: Ours) => {
    const idle = { floorMiB: residentMiB(floor.pid), oursMiB: residentMiB(ours.server.pid) };
    const verdicts = await measureCreates(
      { url: floor.url, path: '/creates/memories' },
      { url: ours.server.url, path: '/api/memories', key: ours.server.key },
      {
        // Many short rounds rather than few long ones: both sides then meet the same disturbances.
        rounds: settings.rounds * 2,
        writeMs: settings.quick ? 1000 : 2500,
        singleCreates: settings.quick ? 200 : 500,
        targets: { against: 'floor', rate: 0.5, time: 2 },
      },
    );
    return { verdicts, details: { idle, afterMiB: residentMiB(ours.server.pid) } };
  };
  return withOurs(settings.engine, run, { MEMORYD_EMBEDDER: settings.embedder });
}

/** GETs by id against the floor. */
export async function runGet(floor: Floor, settings: Settings): Promise<StageResult> {
  const run = async ({ server: { url, key, pid } }: Ours) => {
    const verdicts = await measureGets(
      { url: floor.url, path: '/gets/memories', pid: floor.pid },
      { url, path: '/api/memories', key, pid },
      { rounds: settings.rounds * 4, getsPerRound: 500, against: 'floor', time: 3 },
    );
    return { verdicts, details: {} };
  };
  return withOurs(settings.engine, run, { MEMORYD_DERIVE: 'false', MEMORYD_EMBEDDER: 'none' });
}

/** Searches at one size, of a user who is alone in the store. */
export async function runSearch(floor: Floor, settings: Settings, size: number): Promise<StageResult> {
  return withOurs(settings.engine, async (ours) => {
    const corpus = generateCorpus(size, size);
    await loadFloor(floor.url, `size${size}`, corpus);
    const loadSeconds = await secondsOf(() => loadOurs(ours.server, corpus));
    const merged = await ours.merge();
    const found = await searchAt({ floor, owner: ours.server, settings, size, corpus, where: 'alone' });
    const details = { ...found.details, loadSeconds, merged, searchedMiB: residentMiB(ours.server.pid) };
    return { verdicts: found.verdicts, details };
  });
}

/**
 * Searches at every size among many other users. The floor has only the rows of the
 * measured user: with all rows it would be slower, which would flatter us.
 */
export async function runOthers(floor: Floor, settings: Settings): Promise<StageResult> {
  return withOurs(settings.engine, async (ours) => {
    const corpora = settings.sizes.map((size) => ({ size, corpus: generateCorpus(size, size) }));
    const keys = new Map<number, string>();
    for (const { size, corpus } of corpora) {
      const key = await ours.keyOf(`size-${size}`);
      keys.set(size, key);
      await loadFloor(floor.url, `beside${size}`, corpus);
      await loadOurs({ url: ours.server.url, key }, corpus);
    }
    const loadSeconds = await secondsOf(() => loadOthers(ours, settings.others));
    const merged = await ours.merge();
    const verdicts: Verdict[] = [];
    const details: Record<string, unknown> = { loadSeconds, merged, others: settings.others };
    for (const { size, corpus } of corpora) {
      const owner = { url: ours.server.url, key: keys.get(size) ?? '' };
      const where = `beside ${settings.others} users`;
      const found = await searchAt({ floor, owner, settings, size, corpus, where });
      verdicts.push(...found.verdicts);
      details[String(size)] = found.details;
    }
    return { verdicts, details: { ...details, searchedMiB: residentMiB(ours.server.pid) } };
  });
}

export async function runConcurrency(settings: Settings): Promise<StageResult> {
  return withOurs(settings.engine, async (ours) => {
    const corpus = generateCorpus(concurrencySize, concurrencySize);
    await loadOurs(ours.server, corpus);
    const merged = await ours.merge();
    const { verdict, refused } = await measureConcurrency(ours.server, {
      rounds: settings.rounds,
      roundMs: settings.quick ? 2000 : 5000,
      queries: corpus.queries(2000, 7),
    });
    return { verdicts: [verdict], details: { merged, refused, memories: concurrencySize } };
  });
}

/** Compares searches as of an earlier time with the same searches without a time. */
export async function runAsOf(settings: Settings, size: number): Promise<StageResult> {
  return withOurs(settings.engine, async (ours) => {
    const corpus = generateCorpus(size, size);
    await loadOurs(ours.server, corpus);
    const asOfTime = await editSome(ours.server, corpus);
    const merged = await ours.merge();
    const found = await compareAsOf(ours.server, asOfTime, size, searchPlan(corpus, size, settings));
    return { verdicts: found.verdicts, details: { ...found.details, merged } };
  });
}

/** Compares searches filtered by metadata with the same searches filtered by topics. */
export async function runFilters(settings: Settings, size: number): Promise<StageResult> {
  return withOurs(settings.engine, async (ours) => {
    const corpus = generateCorpus(size, size);
    await loadOurs(ours.server, withMetadata(corpus));
    const merged = await ours.merge();
    const found = await compareFilters(ours.server, size, searchPlan(corpus, size, settings));
    return { verdicts: found.verdicts, details: { ...found.details, merged } };
  });
}

async function loadOthers(ours: Ours, count: number): Promise<void> {
  const users = Array.from({ length: count }, (_, index) => index);
  await mapConcurrently(users, 4, async (index) => {
    const key = await ours.keyOf(`other-${index}`);
    await loadOurs({ url: ours.server.url, key }, generateCorpus(otherMemories, 1_000_000 + index), 8);
  });
}

interface SearchStage {
  floor: Floor;
  owner: Owner;
  settings: Settings;
  size: number;
  corpus: Corpus;
  where: string;
}

async function searchAt(stage: SearchStage): Promise<StageResult> {
  const { floor, owner, settings, size, corpus, where } = stage;
  const store = where === 'alone' ? `size${size}` : `beside${size}`;
  const own = (name: string, parameters: object): Way => {
    const path = '/api/memories/search';
    return {
      name,
      url: owner.url,
      key: owner.key,
      path,
      parameters: { searchMethod: 'keyword', ...parameters },
    };
  };
  const ways = [
    { name: 'floor', url: floor.url, path: `/${store}/search` },
    own('plain', { context: false }),
    ...(settings.withContext ? [own('context', {}), own('facets', { includeFacets: true })] : []),
  ];
  const times = await measureSearches(ways, searchPlan(corpus, size, settings));
  return { verdicts: judge(times, size, where), details: { times } };
}

/** Compares plain searches with the floor, and searches with context or facets with plain ones. */
function judge(times: Record<string, SearchTimes>, size: number, where: string): Verdict[] {
  const targets = [
    { name: 'plain', against: 'floor', max: 2 },
    { name: 'context', against: 'plain', max: 2.5 },
    { name: 'facets', against: 'plain', max: 3.5 },
  ];
  return targets.flatMap(({ name, against, max }) => {
    const [ours, base] = [times[name], times[against]];
    if (!ours || !base) return [];
    return (['p50', 'p95'] as const).map((point) =>
      atMost(max, {
        what: `search ${name} ${point}, ${size.toLocaleString('en')} memories, ${where}`,
        unit: 'ms',
        ours: ours[point],
        against,
        base: base[point],
      }),
    );
  });
}

/**
 * @param env settings of the service other than those of a test
 * @param database a store to use in the place of an empty one
 */
export async function withOurs(
  engine: Engine,
  run: (ours: Ours) => Promise<StageResult>,
  env?: Record<string, string>,
  database?: TestDatabase,
): Promise<StageResult> {
  const ours = await startOurs(engine, env, undefined, database);
  try {
    return await run(ours);
  } catch (error) {
    const printed = ours.server.output().slice(-2000);
    throw new Error(`${(error as Error).message}\nThe service printed last:\n${printed}`, { cause: error });
  } finally {
    await ours.stop();
  }
}

async function secondsOf(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return Math.round((performance.now() - started) / 100) / 10;
}
