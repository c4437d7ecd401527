import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { contentSearch } from '../src/graph-rag/graph-query.ts';
import { measurePlanted } from './communities/planted.ts';
import { openPlantedStore, quantile } from './graph/planted-store.ts';

const usage = `npm run bench communities -- [--planted] [--topics 10000] [--memories 30000] [--turns 6] [--store FOLDER]
  Keyword searches at a steady rate without and with a detection of communities in the same process, by turns; the time of a
  search counts from when it was due. The ratio is that of the medians of each turn's p99. --planted: how well each weight of edges finds planted groups of topics instead. For a quiet machine: --turns 10 --store FOLDER.`;
const everyMs = 20;
const ratioMax = 2;

const { values } = parseArgs({
  options: {
    planted: { type: 'boolean', default: false },
    topics: { type: 'string', default: '10000' },
    memories: { type: 'string', default: '30000' },
    turns: { type: 'string', default: '6' },
    store: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

async function main(): Promise<void> {
  if (values.help) return console.log(usage);
  if (values.planted) return console.table(measurePlanted());
  const groups = Math.ceil(Number(values.topics) / 100);
  const memories = Number(values.memories);
  const planted = { groups, topics: 100, memories, foreign: 0.15, everywhere: 20 };
  const store = await openPlantedStore(planted, values.store);
  const { services, user } = store;
  const search = (i: number) => {
    const query = `word${(i * 37) % 5000} word${i % 50}`;
    return services.search.search(user, { ...contentSearch, query, method: 'keyword', limit: 20 });
  };
  const detect = () => services.communities.detect(user, 'louvain');
  for (let i = 0; i < 50; i++) await search(i);
  const first = performance.now();
  const { communityCount, leftOut } = await detect();
  console.log(
    `${communityCount} communities, first detection ${(performance.now() - first).toFixed(0)} ms`,
    leftOut,
  );
  const [alone, during]: Turn[][] = [[], []];
  const took: number[] = [];
  for (let turn = 0; turn < Number(values.turns); turn++) {
    const start = performance.now();
    during.push(await searchesDuring(search, detect()));
    took.push(performance.now() - start);
    alone.push(await searchesDuring(search, wait(took.at(-1))));
  }
  await store.close();
  const median = (values: readonly number[]) => quantile(values, 0.5);
  const medianOf = (turns: readonly Turn[], share: number) =>
    median(turns.map(({ times }) => quantile(times, share)));
  const row = (turns: readonly Turn[]) => ({
    searches: turns.flatMap(({ times }) => times).length,
    'p50 ms': medianOf(turns, 0.5).toFixed(1),
    'p99 ms': medianOf(turns, 0.99).toFixed(1),
    'p99 of each turn': turns.map(({ times }) => quantile(times, 0.99).toFixed(0)).join(', '),
    'loop late by, p99 ms': median(turns.map(({ lateP99 }) => lateP99)).toFixed(1),
    'most ms': median(turns.map(({ lateMost }) => lateMost)).toFixed(1),
  });
  console.table({ alone: row(alone), 'during a detection': row(during) });
  const ratio = medianOf(during, 0.99) / medianOf(alone, 0.99);
  const each = took.map((ms) => ms.toFixed(0)).join(', ');
  console.log(`detections took ${each} ms; p99 ${ratio.toFixed(2)} times, ${ratioMax} at most`);
  if (ratio > ratioMax) process.exitCode = 1;
}

interface Turn {
  /** For each search, milliseconds from when it was due to its end. */
  readonly times: readonly number[];
  /** p99 of the delay of the event loop in milliseconds, by `monitorEventLoopDelay`. */
  readonly lateP99: number;
  readonly lateMost: number;
}

/** Searches that are due before `until` ends. */
async function searchesDuring(
  search: (i: number) => Promise<unknown>,
  until: Promise<unknown>,
): Promise<Turn> {
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  let isOver = false;
  const end = until.finally(() => {
    isOver = true;
  });
  const times: number[] = [];
  const running: Promise<unknown>[] = [];
  for (let i = 0, due = performance.now(); !isOver; i++, due += everyMs) {
    const late = due - performance.now();
    if (late > 0) await wait(late);
    const dueAt = due;
    running.push(search(i).then(() => times.push(performance.now() - dueAt)));
  }
  await Promise.all([end, ...running]);
  loop.disable();
  return { times, lateP99: loop.percentile(99) / 1e6 - 1, lateMost: loop.max / 1e6 - 1 };
}

await main();
