/**
 * Cost for PostgreSQL of erasing one user next to others: WAL and milliseconds of `users remove`, first with few
 * memories of others in the store, then with many. WAL does not depend on the load of the machine, but is
 * that of the whole server: nothing else may write to it, autovacuum included.
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { newDatabase, type TestDatabase } from '../test/support/database.ts';
import { randomFrom } from '../test/support/random.ts';
import { runMemoryd, type Server, startServer } from '../test/support/server.ts';
import { callUntilResponse, openConnection } from './http/connection.ts';
import { generateText } from './http/corpus.ts';
import { englishWords } from './http/english-words.ts';
import { makeKeys } from './http/processes.ts';
import { median } from './http/quantiles.ts';
import { describeEnvironment } from './report/environment.ts';
import { toTable } from './report/table.ts';
import { writeResult } from './report/write-result.ts';

const usage = `npm run bench erasing -- [--sizes 20000,200000] [--own 100] [--partitions 0] [--against MAIN] [--check] [--out FILE]
  --partitions: as of \`database create\`; --against: the dist/main.js of another checkout, as a second side; --check: exit 1 above 1.5 times between the sizes`;
const others = 500;
const removals = 3;
const growthMax = 1.5;
const bulkSize = 250;
const words = englishWords();
const env = { MEMORYD_DERIVE: 'false', MEMORYD_EMBEDDER: 'static', MEMORYD_WARM_UP_TIMEOUT_MS: '0' };

interface Side {
  readonly name: string;
  readonly database: TestDatabase;
  readonly main: string | undefined;
}

interface Cost {
  readonly walMB: number;
  readonly ms: number;
}

async function write(server: Server, key: string, { count, seed }: { count: number; seed: number }) {
  const random = randomFrom(seed);
  const connection = await openConnection(server.url, key);
  for (let left = count; left > 0; left -= bulkSize) {
    const memories = Array.from({ length: Math.min(left, bulkSize) }, () => ({
      content: generateText(random, words),
    }));
    await callUntilResponse(
      connection,
      { method: 'POST', path: '/api/memories/bulk', body: { memories } },
      200,
    );
  }
  connection.close();
}

/** Removes a user, after all that the writes left to do is done. */
async function remove({ database, main }: Side, name: string): Promise<Cost> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const wal = async () =>
    Number((await client.query("SELECT pg_current_wal_insert_lsn() - '0/0' AS at")).rows[0].at);
  await client.query('VACUUM (ANALYZE)');
  await client.query('CHECKPOINT');
  const [from, began] = [await wal(), performance.now()];
  const done = await runMemoryd(database.url, ['users', 'remove', name, '--yes'], {}, main);
  const cost = { walMB: ((await wal()) - from) / 1e6, ms: performance.now() - began };
  await client.end();
  if (done.code !== 0) throw new Error(`users remove failed: ${done.stderr}`);
  return cost;
}

async function measure(side: Side, sizes: readonly number[], own: number): Promise<Cost[]> {
  const costs: Cost[] = [];
  let before = 0;
  for (const size of sizes) {
    const server = await startServer({ databaseUrl: side.database.url, env, main: side.main });
    const staying = Array.from({ length: others }, (_, i) => `other-${i}`);
    const names = Array.from({ length: removals }, (_, i) => `gone-${size}-${i}`);
    const keys = await makeKeys(side.database.url, [...staying, ...names]);
    for (const [i, key] of keys.entries())
      await write(server, key, { count: i < others ? (size - before) / others : own, seed: size + i });
    await server.stop();
    const each: Cost[] = [];
    for (const name of names) each.push(await remove(side, name));
    costs.push({ walMB: median(each.map(({ walMB }) => walMB)), ms: median(each.map(({ ms }) => ms)) });
    before = size;
  }
  return costs;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      sizes: { type: 'string', default: '20000,200000' },
      own: { type: 'string', default: '100' },
      partitions: { type: 'string', default: '0' },
      against: { type: 'string' },
      check: { type: 'boolean', default: false },
      out: { type: 'string' },
    },
  });
  const sizes = values.sizes.split(',').map(Number);
  const mains = values.against ? [undefined, values.against] : [undefined];
  const measured: { name: string; costs: Cost[] }[] = [];
  for (const main of mains) {
    const database = await newDatabase('postgres');
    const name = main ?? 'this build';
    const create = ['database', 'create', '--partitions', values.partitions];
    try {
      if (values.partitions !== '0') await runMemoryd(database.url, create, {}, main);
      measured.push({ name, costs: await measure({ name, database, main }, sizes, Number(values.own)) });
    } finally {
      await database.drop();
    }
  }
  const growth = measured.map(({ costs }) => {
    const [first, last] = [costs[0], costs.at(-1)] as [Cost, Cost];
    return { wal: last.walMB / first.walMB, ms: last.ms / first.ms };
  });
  const rows = measured.flatMap(({ name, costs }, side) => [
    ...costs.map(({ walMB, ms }, i) => [name, String(sizes[i]), walMB.toFixed(2), ms.toFixed(0)]),
    [name, 'last / first', (growth[side]?.wal ?? 0).toFixed(2), (growth[side]?.ms ?? 0).toFixed(2)],
  ]);
  console.log(`\`users remove\` of a user with ${values.own} memories, median of ${removals}`);
  console.log(toTable(['build', 'memories of others', 'WAL, MB', 'ms'], rows));
  const environment = describeEnvironment();
  console.log(`\n${environment.commit}, node ${environment.node}, ${environment.measuredAt}\n${usage}`);
  console.log(`JSON: ${writeResult('erasing', { environment, sizes, measured, growth }, values.out)}`);
  if (values.check && (growth[0].wal > growthMax || growth[0].ms > growthMax)) process.exitCode = 1;
}

await main();
