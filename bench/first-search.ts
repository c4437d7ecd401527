import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { TestDatabase } from '../test/support/database.ts';
import { poll } from '../test/support/poll.ts';
import { readRows } from '../test/support/run-statement.ts';
import { callUntilResponse, openConnection } from './http/connection.ts';
import { keptDatabase, type Ours, processorMs, residentMiB, startOurs } from './http/processes.ts';
import { median } from './http/quantiles.ts';
import { describeEnvironment } from './report/environment.ts';
import { toTable } from './report/table.ts';
import { writeResult } from './report/write-result.ts';
import { copyOf, corpusOf, fillOnce, searchedUser } from './search-time/store.ts';

const usage = `npm run bench first-search -- [--size N] [--rounds N] [--warm N] [--embedder static|bundled] [--store FOLDER] [--against MAIN] [--set NAME=VALUE] [--out FILE]
  The first search of one user with N memories after a start of the service over HTTP, by keywords and hybrid, by turns, each of a process of its own,
  which warmed up or (MEMORYD_WARM_UP_TIMEOUT_MS=0) did not: medians of the rounds, derivation off. --warm: searches that follow, before memory is read again. --store: keeps the memories in this folder, and takes
  them from there when they were written before. --against: dist/main.js of another checkout, by turns with this one. --set: a setting of the environment, of all of them.`;
const here = fileURLToPath(new URL('..', import.meta.url));
const segmentsWithinMs = 600_000;
const methods = ['keyword', 'hybrid'] as const;

interface Measured {
  readonly startMs: number;
  readonly firstMs: number;
  readonly firstProcessorMs: number;
  readonly secondMs: number;
  readonly idleMiB: number;
  readonly searchedMiB: number;
  readonly warmMiB: number;
}

const columns: Readonly<Record<keyof Measured, string>> = {
  startMs: 'start, ms',
  firstMs: 'first search, ms',
  firstProcessorMs: 'processor time of it, ms',
  secondMs: 'second, ms',
  idleMiB: 'resident before, MiB',
  searchedMiB: 'after the first',
  warmMiB: 'after all',
};

function readOptions() {
  const { values } = parseArgs({
    options: {
      size: { type: 'string', default: '100000' },
      rounds: { type: 'string', default: '5' },
      warm: { type: 'string', default: '50' },
      embedder: { type: 'string', default: 'static' },
      store: { type: 'string' },
      against: { type: 'string' },
      set: { type: 'string', multiple: true, default: [] },
      out: { type: 'string' },
    },
  });
  const [size, rounds, warm] = [values.size, values.rounds, values.warm].map(Number);
  const { embedder } = values;
  if (!(size > 0 && rounds > 0 && warm >= 0) || !['static', 'bundled'].includes(embedder))
    throw new Error(usage);
  const set = Object.fromEntries(values.set.map((text) => text.split('=') as [string, string]));
  return { ...values, embedder, size, rounds, warm, set, against: values.against && resolve(values.against) };
}

async function main(): Promise<void> {
  const { size, rounds, warm, embedder, store, against, set, out } = readOptions();
  const corpus = corpusOf(size);
  const queries = corpus.queries(warm + 2, 7);
  const work = mkdtempSync(join(tmpdir(), 'memoryd-first-search-'));
  const services: { name: string; ours: Ours; key: string }[] = [];
  try {
    const filled = join(store ?? work, `memories-${size}`);
    await fillOnce(filled, corpus, here);
    const common = { MEMORYD_EMBEDDER: embedder, MEMORYD_DERIVE: 'false', ...set };
    const variants = {
      ours: { env: common, path: undefined },
      'ours, not warmed up': { env: { ...common, MEMORYD_WARM_UP_TIMEOUT_MS: '0' }, path: undefined },
      ...(against !== undefined && { against: { env: common, path: against } }),
    };
    for (const [name, { env, path }] of Object.entries(variants)) {
      const database = keptDatabase(copyOf(filled, join(work, name)));
      const ours = await startOurs('sqlite', env, path, database);
      services.push({ name, ours, key: await ours.keyOf(searchedUser) });
      await untilInSegments(database, size);
    }
    const measured = new Map<string, Measured[]>();
    for (let round = 0; round < rounds; round++)
      for (const method of methods)
        for (const { name, ours, key } of round % 2 === 0 ? services : services.toReversed()) {
          const all = measured.get(`${name}, ${method}`) ?? [];
          all.push(await measureStart(ours, { key, method, queries }));
          measured.set(`${name}, ${method}`, all);
        }
    const names = Object.keys(columns) as (keyof Measured)[];
    const medians = [...measured].map(
      ([what, all]) => [what, names.map((name) => median(all.map((each) => each[name])))] as const,
    );
    console.log(`${size.toLocaleString('en')} memories, embedder ${embedder}, medians of ${rounds} starts`);
    const rows = medians.map(([what, figures]) => [what, ...figures.map((figure) => figure.toFixed(0))]);
    console.log(toTable(['', ...Object.values(columns)], rows));
    const starts = Object.fromEntries(measured);
    console.log(writeResult('first-search', { ...describeEnvironment(), size, embedder, starts }, out));
  } finally {
    for (const { ours } of services) await ours.stop();
    rmSync(work, { recursive: true });
  }
}

/** Waits until all rows and vectors are in segments, from which the next start reads them. */
function untilInSegments(database: TestDatabase, size: number): Promise<true> {
  const isWritten = async () => {
    const rows = await readRows(
      database,
      `SELECT sum(CASE WHEN space = 0 THEN entries END) AS "rows", sum(CASE WHEN space > 0 THEN entries END) AS vectors FROM index_segments`,
    );
    return Number(rows[0].rows) >= size && Number(rows[0].vectors) >= size ? true : undefined;
  };
  return poll('all rows and vectors are in segments', isWritten, segmentsWithinMs, 500);
}

interface Search {
  readonly key: string;
  readonly method: (typeof methods)[number];
  readonly queries: readonly string[];
}

async function measureStart(ours: Ours, { key, method, queries }: Search): Promise<Measured> {
  const began = performance.now();
  await ours.restart();
  const startMs = performance.now() - began;
  const { url, pid } = ours.server;
  const connection = await openConnection(url, key);
  const ask = async (query: string) => {
    const body = { query, limit: 20, searchMethod: method };
    const call = { method: 'POST' as const, path: '/api/memories/search', body };
    const response = await callUntilResponse<{ data: unknown[] }>(connection, call, 200);
    if (response.body.data.length === 0) throw new Error(`hollow: "${query}" found nothing`);
    return response.ms;
  };
  try {
    const idleMiB = residentMiB(pid);
    const before = processorMs(pid);
    const firstMs = await ask(queries[0]);
    const firstProcessorMs = processorMs(pid) - before;
    const searchedMiB = residentMiB(pid);
    const secondMs = await ask(queries[1]);
    for (const query of queries.slice(2)) await ask(query);
    return { startMs, firstMs, firstProcessorMs, secondMs, idleMiB, searchedMiB, warmMiB: residentMiB(pid) };
  } finally {
    connection.close();
  }
}

await main();
