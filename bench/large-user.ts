import { parseArgs } from 'node:util';
import pg from 'pg';
import { newDatabase, type TestDatabase } from '../test/support/database.ts';
import { randomFrom } from '../test/support/random.ts';
import { type Server, startServer } from '../test/support/server.ts';
import { type Connection, callUntilResponse, openConnection } from './http/connection.ts';
import { generateText } from './http/corpus.ts';
import { englishWords } from './http/english-words.ts';
import { processorMs, residentMiB } from './http/processes.ts';
import { median, quantile } from './http/quantiles.ts';
import { describeEnvironment } from './report/environment.ts';
import { toTable } from './report/table.ts';
import { writeResult } from './report/write-result.ts';

const usage = `npm run bench large-user -- [--sizes 20400,100000] [--engines sqlite,postgres] [--against MAIN] [--searches N] [--out FILE]
  --against: the dist/main.js of another checkout, as one more side on PostgreSQL`;
const bulkSize = 500;
const turn = 10;
const words = englishWords();
const settings = { MEMORYD_DERIVE: 'false', MEMORYD_EMBEDDER: 'static', MEMORYD_WARM_UP_TIMEOUT_MS: '0' };

interface Side {
  readonly name: string;
  readonly database: TestDatabase;
  readonly main: string | undefined;
  server: Server;
}

async function openSide(name: string, main?: string): Promise<Side> {
  const database = await newDatabase(name.startsWith('postgres') ? 'postgres' : 'sqlite');
  return { name, database, main, server: await serve(database, main) };
}

function serve(database: TestDatabase, main?: string): Promise<Server> {
  return startServer({ databaseUrl: database.url, env: settings, main });
}

/** Processor time of the service and of PostgreSQL for one of `count` calls, in milliseconds. */
interface Processor {
  readonly node: number;
  readonly postgres: number;
}

/** @param act ends no connection of the service to PostgreSQL: what its process used would be lost */
async function processorOf(side: Side, count: number, act: () => Promise<void>): Promise<Processor> {
  const before = [processorMs(side.server.pid), await backendsMs(side)] as const;
  await act();
  const after = [processorMs(side.server.pid), await backendsMs(side)] as const;
  return { node: (after[0] - before[0]) / count, postgres: (after[1] - before[1]) / count };
}

/** Processor time of the processes of PostgreSQL that serve this database; the server is on this machine. */
async function backendsMs({ database }: Side): Promise<number> {
  if (database.engine === 'sqlite') return 0;
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>(
    'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  await client.end();
  return rows.reduce((sum, { pid }) => sum + processorMs(pid), 0);
}

/** Adds memories up to `to`, in bulk. */
async function load(side: Side, from: number, to: number): Promise<Processor & { readonly rate: number }> {
  const random = randomFrom(from + 1);
  const connection = await openConnection(side.server.url, side.server.key);
  const began = performance.now();
  const processor = await processorOf(side, to - from, async () => {
    for (let at = from; at < to; at += bulkSize) {
      const memories = Array.from({ length: Math.min(bulkSize, to - at) }, () => ({
        content: generateText(random, words),
      }));
      await callUntilResponse(
        connection,
        { method: 'POST', path: '/api/memories/bulk', body: { memories } },
        200,
      );
    }
  });
  connection.close();
  return { ...processor, rate: ((to - from) / (performance.now() - began)) * 1000 };
}

interface Searches extends Processor {
  readonly p50: number;
  readonly p95: number;
  readonly results: number;
  /** The first search of a process that was just started, in milliseconds. */
  readonly first: number;
  readonly residentMiB: number;
}

/** The same hybrid searches on each side, by turns of ten. */
async function search(sides: readonly Side[], searches: number): Promise<Searches[]> {
  const random = randomFrom(5);
  const connections = await Promise.all(sides.map(({ server }) => openConnection(server.url, server.key)));
  const seen = sides.map(() => ({
    times: [] as number[],
    node: [] as number[],
    postgres: [] as number[],
    results: 0,
  }));
  const queries = Array.from({ length: searches }, () =>
    generateText(random, words).split(' ').slice(0, 5).join(' '),
  );
  const first: number[] = [];
  for (const connection of connections) first.push((await ask(connection, 'the first search of all')).ms);
  for (let from = 0; from < searches; from += turn)
    for (const [i, side] of sides.entries()) {
      const used = await processorOf(side, turn, async () => {
        for (const query of queries.slice(from, from + turn)) {
          const { ms, results } = await ask(connections[i] as Connection, query);
          // The first third warms up.
          if (from >= searches / 3) seen[i]?.times.push(ms);
          if (seen[i]) seen[i].results += results;
        }
      });
      if (from < searches / 3) continue;
      seen[i]?.node.push(used.node);
      seen[i]?.postgres.push(used.postgres);
    }
  for (const connection of connections) connection.close();
  return seen.map(({ times, node, postgres, results }, i) => {
    if (results === 0) throw new Error('hollow: nothing was found');
    return {
      p50: median(times),
      p95: quantile(times, 0.95),
      node: median(node),
      postgres: median(postgres),
      results: results / searches,
      first: first[i] ?? 0,
      residentMiB: residentMiB(sides[i]?.server.pid ?? 0),
    };
  });
}

async function ask(connection: Connection, query: string): Promise<{ ms: number; results: number }> {
  const body = { query, limit: 20, searchMethod: 'hybrid' };
  const call = { method: 'POST' as const, path: '/api/memories/search', body };
  const reply = await callUntilResponse<{ data: unknown[] }>(connection, call, 200);
  return { ms: reply.ms, results: reply.body.data.length };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      sizes: { type: 'string', default: '20400,100000' },
      engines: { type: 'string', default: 'sqlite,postgres' },
      against: { type: 'string' },
      searches: { type: 'string', default: '150' },
      out: { type: 'string' },
    },
  });
  const sides: Side[] = [];
  const measured: object[] = [];
  try {
    for (const name of values.engines.split(',')) sides.push(await openSide(name));
    if (values.against) sides.push(await openSide('postgres, other build', values.against));
    let from = 0;
    for (const to of values.sizes.split(',').map(Number)) {
      const loaded: Awaited<ReturnType<typeof load>>[] = [];
      for (const side of sides) loaded.push(await load(side, from, to));
      // So that segments are written, and indexes built by builds that have them.
      await new Promise((resolve) => setTimeout(resolve, 30_000));
      for (const side of sides) {
        await side.server.stop();
        side.server = await serve(side.database, side.main);
      }
      const searched = await search(sides, Number(values.searches));
      print(to, sides, loaded, searched);
      measured.push(
        ...sides.map(({ name }, i) => ({ name, size: to, loaded: loaded[i], searched: searched[i] })),
      );
      from = to;
    }
  } finally {
    for (const { server, database } of sides) {
      await server.stop();
      await database.drop();
    }
  }
  const environment = describeEnvironment();
  console.log(`\n${environment.commit}, node ${environment.node}, ${environment.measuredAt}\n${usage}`);
  console.log(`JSON: ${writeResult('large-user', { environment, measured }, values.out)}`);
}

function print(
  size: number,
  sides: readonly Side[],
  loaded: readonly (Processor & { readonly rate: number })[],
  searched: readonly Searches[],
): void {
  const rows = sides.map(({ name }, i) => {
    const [created, found] = [loaded[i], searched[i]];
    const figures = [created?.rate, created?.node, created?.postgres, found?.node, found?.postgres];
    const times = [found?.p50, found?.p95, found?.first, found?.results, found?.residentMiB];
    return [name, ...[...figures, ...times].map((value) => (value ?? Number.NaN).toFixed(2))];
  });
  console.log(`\n${size.toLocaleString('en')} memories of one user; processor time in ms`);
  const head = ['', 'creates/s', 'create: node', 'PostgreSQL', 'hybrid: node', 'PostgreSQL'];
  console.log(toTable([...head, 'p50', 'p95', 'first', 'results', 'MiB'], rows));
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
