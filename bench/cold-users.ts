import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { TestDatabase } from '../test/support/database.ts';
import { poll } from '../test/support/poll.ts';
import { readRows } from '../test/support/run-statement.ts';
import { fillOnce, memoriesOfEach, queriesOf } from './cold-users/fill.ts';
import { callUntilResponse, openConnection } from './http/connection.ts';
import { mergeIndex } from './http/merge-index.ts';
import { keptDatabase, type Ours, processorMs, residentMiB, startOurs } from './http/processes.ts';
import { quantile } from './http/quantiles.ts';
import { describeEnvironment } from './report/environment.ts';
import { toTable } from './report/table.ts';
import { writeResult } from './report/write-result.ts';
import { copyOf } from './search-time/store.ts';

const usage = `npm run bench cold-users -- [--users N] [--cache MB] [--rounds N] [--store FOLDER] [--against MAIN] [--out FILE]
  N users with 1,000 memories each are searched in turn, one hybrid search of each a round, over HTTP, with so little memory for indexes that nearly
  every search reads its user's from the store (--cache, by default .064 MB a user); the first round begins with a start. --store: keeps the memories
  in this folder, and takes them from there when they were written before. --against: dist/main.js of another checkout, by turns with this one; says, too,
  how many responses differ.`;
const cacheMBPerUser = 0.064;
const segmentsWithinMs = 3_600_000;

interface Service {
  readonly name: string;
  readonly ours: Ours;
}

interface Found {
  readonly data: readonly unknown[];
}

interface Searched {
  readonly ms: number;
  readonly processor: number;
  /** The body of the response, without how long it took. */
  readonly found: string;
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      users: { type: 'string', default: '300' },
      rounds: { type: 'string', default: '3' },
      cache: { type: 'string' },
      store: { type: 'string' },
      against: { type: 'string' },
      out: { type: 'string' },
    },
  });
  const [users, rounds] = [values.users, values.rounds].map(Number);
  const cache = Math.ceil(values.cache === undefined ? users * cacheMBPerUser : Number(values.cache));
  if (!(users > 0 && rounds > 0 && cache > 0)) throw new Error(usage);
  return { ...values, users, rounds, cache, against: values.against && resolve(values.against) };
}

async function main(): Promise<void> {
  const { users, rounds, cache, store, against, out } = readOptions();
  const work = mkdtempSync(join(tmpdir(), 'memoryd-cold-users-'));
  const services: Service[] = [];
  const env = {
    MEMORYD_EMBEDDER: 'static',
    MEMORYD_DERIVE: 'false',
    MEMORYD_INDEX_CACHE_MB: `${cache}`,
  };
  try {
    const folder = join(store ?? work, `users-${users}`);
    const keys = await fillOnce(folder, users);
    await withSegments(folder, users, env);
    const mains = { ours: undefined, ...(against !== undefined && { against }) };
    for (const [name, path] of Object.entries(mains)) {
      const database = keptDatabase(copyOf(folder, join(work, name)));
      services.push({ name, ours: await startOurs('sqlite', env, path, database) });
    }
    const rows: string[][] = [];
    for (let round = 1; round <= rounds; round++) {
      const queries = Array.from(keys, (_, user) => queriesOf(user, rounds)[round - 1]);
      const measured = await searchEach(services, keys, queries);
      for (const [i, { name, ours }] of services.entries())
        rows.push([`${name}, round ${round}`, ...figuresOf(measured[i]), `${residentMiB(ours.server.pid)}`]);
      const differing = measured
        .slice(1)
        .flatMap((other) => other.filter(({ found }, i) => found !== measured[0][i].found));
      if (measured.length > 1)
        console.log(`round ${round}: ${differing.length} of ${users} responses differ`);
    }
    console.log(`${users} users of ${memoriesOfEach} memories, MEMORYD_INDEX_CACHE_MB=${cache}`);
    console.log(
      toTable(['', 'p50, ms', 'p95', 'p99', 'longest', 'processor, ms', 'p95 of it', 'resident, MiB'], rows),
    );
    console.log(writeResult('cold-users', { ...describeEnvironment(), users, cache, rows }, out));
  } finally {
    for (const { ours } of services) await ours.stop();
    rmSync(work, { recursive: true });
  }
}

/**
 * Prepares the kept store, unless done: writes all rows and
 * vectors into segments and merges the keyword index.
 */
async function withSegments(folder: string, users: number, env: Record<string, string>): Promise<void> {
  const database = keptDatabase(folder);
  if (await areInSegments(database, users)) return;
  const ours = await startOurs('sqlite', env, undefined, database);
  try {
    const isDone = async () => (await areInSegments(database, users)) || undefined;
    await poll('all rows and vectors are in segments', isDone, segmentsWithinMs, 1000);
  } finally {
    await ours.stop();
  }
  await mergeIndex('sqlite', database.url);
}

async function areInSegments(database: TestDatabase, users: number): Promise<boolean> {
  const [{ inRows, inVectors }] = await readRows(
    database,
    `SELECT sum(CASE WHEN space = 0 THEN entries END) AS "inRows", sum(CASE WHEN space > 0 THEN entries END) AS "inVectors" FROM index_segments`,
  );
  return Math.min(Number(inRows), Number(inVectors)) >= users * memoriesOfEach;
}

/** One search of each user by every service, by turns. */
async function searchEach(services: readonly Service[], keys: readonly string[], queries: readonly string[]) {
  const measured = services.map((): Searched[] => []);
  const turns = [...services.entries()];
  for (const [user, key] of keys.entries())
    for (const [i, service] of user % 2 === 0 ? turns : turns.toReversed())
      measured[i].push(await searchOnce(service, key, queries[user]));
  return measured;
}

async function searchOnce({ ours }: Service, key: string, query: string): Promise<Searched> {
  const { url, pid } = ours.server;
  const connection = await openConnection(url, key);
  const before = processorMs(pid);
  try {
    const body = { query, limit: 20, searchMethod: 'hybrid' };
    const call = { method: 'POST' as const, path: '/api/memories/search', body };
    const { ms, body: found } = await callUntilResponse<Found>(connection, call, 200);
    const processor = processorMs(pid) - before;
    if (found.data.length === 0) throw new Error(`hollow: "${query}" found nothing`);
    return {
      ms,
      processor,
      found: JSON.stringify(found, (key, value) => (key === 'searchTime' ? 0 : value)),
    };
  } finally {
    connection.close();
  }
}

function figuresOf(searched: readonly Searched[]): string[] {
  const times = searched.map(({ ms }) => ms);
  const processor = searched.map((each) => each.processor);
  const mean = processor.reduce((sum, ms) => sum + ms, 0) / processor.length;
  const points = [0.5, 0.95, 0.99, 1].map((point) => quantile(times, point));
  return [...points, mean, quantile(processor, 0.95)].map((figure) => figure.toFixed(1));
}

await main();
