import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { SearchMethod } from '../src/search/request.ts';
import { quantile } from './http/quantiles.ts';
import { describeEnvironment } from './report/environment.ts';
import { toTable } from './report/table.ts';
import { writeResult } from './report/write-result.ts';
import { openFloor } from './search-time/floor.ts';
import { copyOf, corpusOf, fillOnce, openSearch } from './search-time/store.ts';

const usage = `npm run bench search-time -- [--size N] [--method hybrid|keyword|semantic] [--queries N] [--store FOLDER] [--against FOLDER] [--no-floor] [--profile FILE] [--out FILE]
  Processor time of one search of a warm user with N memories, in process: of this checkout, of another (--against), and of the least that a
  hybrid search can be (one bit a number of every vector, and the best 20 of FTS5), by turns.
  --profile: writes the CPU profile of what counts to this file. --store: keeps the memories in this folder, and takes them from there when they were written before.`;
const here = fileURLToPath(new URL('..', import.meta.url));
const turnLength = 10;

interface Side {
  readonly name: string;
  readonly ms: number[];
  ask(query: string): Promise<number>;
  close(): Promise<void> | void;
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      size: { type: 'string', default: '100000' },
      method: { type: 'string', default: 'hybrid' },
      queries: { type: 'string', default: '400' },
      store: { type: 'string' },
      against: { type: 'string' },
      'no-floor': { type: 'boolean', default: false },
      profile: { type: 'string' },
      out: { type: 'string' },
    },
  });
  const method = (['hybrid', 'keyword', 'semantic'] as const).find((name) => name === values.method);
  const size = Number(values.size);
  const queries = Number(values.queries);
  if (!method || !(size > 0) || !(queries > 0)) throw new Error(usage);
  const { store, against, out, profile, 'no-floor': noFloor } = values;
  return {
    method,
    size,
    queries,
    store,
    against: against && resolve(against),
    out,
    profile,
    withFloor: !noFloor,
  };
}

async function sideOf(name: string, root: string, folder: string, method: SearchMethod): Promise<Side> {
  const { search, close } = await openSearch(root, folder);
  return { name, ms: [], ask: async (query) => (await search(query, { method })).hits.length, close };
}

async function ask(side: Side, queries: readonly string[]): Promise<void> {
  for (const query of queries) {
    const before = process.cpuUsage();
    const found = await side.ask(query);
    const { user, system } = process.cpuUsage(before);
    if (found === 0) throw new Error(`hollow: ${side.name} found nothing for "${query}"`);
    side.ms.push((user + system) / 1000);
  }
}

/** @returns a function that ends the profile and writes a file for Chrome's developer tools */
async function startProfile(path: string): Promise<() => Promise<void>> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: 200 });
  await session.post('Profiler.start');
  return async () => {
    const { profile } = await session.post('Profiler.stop');
    writeFileSync(path, JSON.stringify(profile));
  };
}

/**
 * The sides to compare, and the queries. Does not keep the
 * memories, which V8 would mark at each garbage collection.
 */
async function openSides(
  { method, size, queries, store, against, withFloor }: ReturnType<typeof readOptions>,
  work: string,
): Promise<{ readonly sides: readonly Side[]; readonly asked: readonly string[] }> {
  const corpus = corpusOf(size);
  const filled = join(store ?? work, `memories-${size}`);
  await fillOnce(filled, corpus, against ?? here);
  const sides = [await sideOf('ours', here, copyOf(filled, join(work, 'ours')), method)];
  if (against) sides.push(await sideOf('against', against, copyOf(filled, join(work, 'against')), method));
  if (withFloor) {
    const floor = openFloor(work, corpus);
    sides.push({ name: 'floor', ms: [], ask: async (query) => floor.search(query), close: floor.close });
  }
  return { sides, asked: corpus.queries(queries, 42) };
}

async function main(): Promise<void> {
  const options = readOptions();
  const { method, size, out, profile } = options;
  const work = mkdtempSync(join(tmpdir(), 'memoryd-search-time-'));
  const opened: Side[] = [];
  try {
    const { sides, asked } = await openSides(options, work);
    opened.push(...sides);
    for (const side of sides) {
      // The first round compiles code and reads the lists of common words; it is not counted.
      await ask(side, asked);
      side.ms.length = 0;
    }
    const stopProfile = profile ? await startProfile(profile) : undefined;
    for (let from = 0, turn = 0; from < asked.length; from += turnLength, turn++) {
      const order = turn % 2 === 0 ? sides : sides.toReversed();
      for (const side of order) await ask(side, asked.slice(from, from + turnLength));
    }
    await stopProfile?.();
    const figures = sides.map(({ name, ms }) => ({
      name,
      mean: ms.reduce((sum, each) => sum + each, 0) / ms.length,
      p50: quantile(ms, 0.5),
      p95: quantile(ms, 0.95),
    }));
    const [ours] = figures;
    const rows = figures.map(({ name, mean, p50, p95 }) => [
      name,
      ...[mean, p50, p95].map((ms) => ms.toFixed(2)),
      (ours.p50 / p50).toFixed(2),
      (ours.p95 / p95).toFixed(2),
    ]);
    console.log(`${method}, ${size.toLocaleString('en')} memories, processor time of one search in ms`);
    console.log(toTable(['', 'mean', 'p50', 'p95', 'ours / this p50', 'p95'], rows));
    console.log(writeResult('search-time', { ...describeEnvironment(), method, size, figures }, out));
  } finally {
    for (const { close } of opened) await close();
    rmSync(work, { recursive: true });
  }
}

await main();
