import { parseArgs } from 'node:util';
import { contentSearch } from '../src/graph-rag/graph-query.ts';
import { openPlantedStore, quantile } from './graph/planted-store.ts';

const usage = `npm run bench graphrag -- [--memories 10000] [--queries 200] [--store FOLDER]
  Queries of the graph and keyword searches of the same words by turns, over one store: elapsed and processor time.
  --store: keeps the store in this folder, and takes it from there when it was made before.`;
/** Maximum ratio of the p95 of a graph query to that of a keyword search. */
const ratioMax = 10;

const { values } = parseArgs({
  options: {
    memories: { type: 'string', default: '10000' },
    queries: { type: 'string', default: '200' },
    store: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

async function main(): Promise<void> {
  if (values.help) return console.log(usage);
  const memories = Number(values.memories);
  const planted = { groups: 100, topics: 100, memories, foreign: 0.15, everywhere: 20 };
  const { services, user, close } = await openPlantedStore(planted, values.store);
  const search = (query: string) =>
    services.search.search(user, { ...contentSearch, query, method: 'keyword', limit: 20 });
  const ask = (query: string) =>
    services.graphRag.query(user, { query, maxDepth: 2, limit: 20, includeRelationships: true });
  const queries = Array.from(
    { length: Number(values.queries) },
    (_, i) => `word${(i * 37) % 5000} word${i % 50}`,
  );
  for (const query of queries.slice(0, 20)) await Promise.all([search(query), ask(query)]);
  const [searches, asked]: [Time[], Time[]] = [[], []];
  let results = 0;
  for (const query of queries) {
    searches.push((await timed(() => search(query))).time);
    const { time, value } = await timed(() => ask(query));
    asked.push(time);
    results += value.hits.length;
  }
  await close();
  if (results === 0) throw new Error('No query found anything: nothing was measured.');
  const rows = { 'keyword search': searches, 'graphrag query': asked };
  console.log(`${memories} memories, ${queries.length} queries, ${results} results`);
  console.table(
    Object.fromEntries(
      Object.entries(rows).map(([name, times]) => [
        name,
        {
          'p50 ms': quantile(
            times.map(({ ms }) => ms),
            0.5,
          ).toFixed(1),
          'p95 ms': quantile(
            times.map(({ ms }) => ms),
            0.95,
          ).toFixed(1),
          'p95 cpu ms': quantile(
            times.map(({ cpu }) => cpu),
            0.95,
          ).toFixed(1),
        },
      ]),
    ),
  );
  const ratio =
    quantile(
      asked.map(({ ms }) => ms),
      0.95,
    ) /
    quantile(
      searches.map(({ ms }) => ms),
      0.95,
    );
  console.log(`p95: ${ratio.toFixed(1)} times the keyword search, ${ratioMax} at most`);
  if (ratio > ratioMax) process.exitCode = 1;
}

interface Time {
  readonly ms: number;
  /** Processor time of the whole process. */
  readonly cpu: number;
}

async function timed<T>(act: () => Promise<T>): Promise<{ time: Time; value: T }> {
  const [start, cpu] = [performance.now(), process.cpuUsage()];
  const value = await act();
  const { user, system } = process.cpuUsage(cpu);
  return { time: { ms: performance.now() - start, cpu: (user + system) / 1000 }, value };
}

await main();
