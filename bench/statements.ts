/**
 * Statements and PostgreSQL's time for one request of each kind, by pg_stat_statements, with the share that is
 * planning, without names of statements and with them. Counts do not depend on the load of the machine.
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { postgresTestUrl } from '../test/support/database.ts';
import { randomFrom } from '../test/support/random.ts';
import { createUserKey, newDatabase, type Server, startServer } from '../test/support/server.ts';
import { type Connection, callUntilResponse, openConnection } from './http/connection.ts';
import { talkTexts } from './http/talk-texts.ts';
import { describeEnvironment } from './report/environment.ts';
import { toTable } from './report/table.ts';
import { writeResult } from './report/write-result.ts';

const usage = `npm run bench statements -- [--users N] [--memories N] [--requests N] [--check] [--out FILE]
  MEMORYD_TEST_POSTGRES_URL: a server with shared_preload_libraries = 'pg_stat_statements' and
  pg_stat_statements.track_planning = on. --check: exit 1 when planning is more than 20 % of all with names`;
const planningMax = 0.2;
const ways = ['unnamed', 'named'] as const;

interface Size {
  readonly users: number;
  readonly memories: number;
  readonly requests: number;
}

interface Row {
  readonly way: (typeof ways)[number];
  readonly what: string;
  readonly statements: number;
  readonly planningMs: number;
  readonly runningMs: number;
  readonly rows: number;
}

/** The statements of one database since the last reset. */
async function readSum(client: pg.Client, database: string): Promise<Omit<Row, 'way' | 'what'>> {
  const { rows } = await client.query<Record<'calls' | 'planned' | 'ran' | 'rows', string>>(
    `SELECT sum(calls) AS calls, sum(total_plan_time) AS planned, sum(total_exec_time) AS ran, sum(rows) AS rows
     FROM pg_stat_statements JOIN pg_database ON oid = dbid WHERE datname = $1`,
    [database],
  );
  const [{ calls, planned, ran, rows: count }] = rows;
  return {
    statements: Number(calls),
    planningMs: Number(planned),
    runningMs: Number(ran),
    rows: Number(count),
  };
}

type Act = (connection: Connection, id: string) => Promise<unknown>;

/** What is measured. */
function kinds(): Record<string, Act> {
  const text = talkTexts();
  const random = randomFrom(7);
  const get = (connection: Connection, path: string) =>
    callUntilResponse(connection, { method: 'GET', path }, 200);
  const find = (method: string) => (connection: Connection) => {
    const query = text(random).split(' ').slice(0, 4).join(' ');
    return get(connection, `/api/memories/search?q=${encodeURIComponent(query)}&searchMethod=${method}`);
  };
  return {
    'GET by id': (connection, id) => get(connection, `/api/memories/${id}`),
    create: (connection) =>
      callUntilResponse(
        connection,
        { method: 'POST', path: '/api/memories', body: { content: text(random) } },
        201,
      ),
    keyword: find('keyword'),
    hybrid: find('hybrid'),
    digest: (connection) =>
      callUntilResponse(
        connection,
        { method: 'POST', path: '/api/memories/digest', body: { query: text(random).slice(0, 80) } },
        200,
      ),
  };
}

interface Member {
  readonly connection: Connection;
  /** A memory of the user. */
  readonly id: string;
}

/** Users with their memories. */
async function fill(server: Server, databaseUrl: string, { users, memories }: Size): Promise<Member[]> {
  const create = kinds().create;
  const members: Member[] = [];
  for (let user = 0; user < users; user++) {
    const key = await createUserKey(databaseUrl, `user-${user}`);
    const connection = await openConnection(server.url, key);
    let id = '';
    for (let i = 0; i < memories; i++)
      id = ((await create(connection, '')) as { body: { data: { id: string } } }).body.data.id;
    members.push({ connection, id });
  }
  return members;
}

async function measure(way: Row['way'], size: Size): Promise<Row[]> {
  const database = await newDatabase('postgres');
  const server = await startServer({
    databaseUrl: database.url,
    env: {
      MEMORYD_DATABASE_STATEMENTS: way,
      // A plan is kept for each connection after its sixth use: with ten, most requests of a short run would plan.
      MEMORYD_DATABASE_CONNECTIONS: '2',
      MEMORYD_DERIVE: 'false',
      MEMORYD_EMBEDDER: 'static',
    },
  });
  const client = new pg.Client({ connectionString: postgresTestUrl });
  await client.connect();
  try {
    const members = await fill(server, database.url, size);
    const rows: Row[] = [];
    for (const [what, act] of Object.entries(kinds())) {
      const run = async (requests: number) => {
        for (let i = 0; i < requests; i++) {
          const { connection, id } = members[i % members.length];
          await act(connection, id);
        }
      };
      await run(size.requests);
      await client.query('SELECT pg_stat_statements_reset()');
      await run(size.requests);
      const sum = await readSum(client, new URL(database.url).pathname.slice(1));
      const each = (total: number) => total / size.requests;
      rows.push({
        way,
        what,
        statements: each(sum.statements),
        planningMs: each(sum.planningMs),
        runningMs: each(sum.runningMs),
        rows: each(sum.rows),
      });
    }
    for (const { connection } of members) connection.close();
    return rows;
  } finally {
    await client.end();
    await server.stop();
    await database.drop();
  }
}

const shareOf = ({ planningMs, runningMs }: Row) => planningMs / (planningMs + runningMs);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      users: { type: 'string', default: '20' },
      memories: { type: 'string', default: '110' },
      requests: { type: 'string', default: '600' },
      check: { type: 'boolean', default: false },
      out: { type: 'string' },
    },
  });
  if (postgresTestUrl === undefined) throw new Error(usage);
  const size = {
    users: Number(values.users),
    memories: Number(values.memories),
    requests: Number(values.requests),
  };
  const measured: Row[] = [];
  for (const way of ways) measured.push(...(await measure(way, size)));
  const cells = measured.map((row) => [
    row.what,
    row.way,
    row.statements.toFixed(1),
    (row.planningMs + row.runningMs).toFixed(2),
    `${(shareOf(row) * 100).toFixed(0)} %`,
    row.rows.toFixed(0),
  ]);
  console.log(
    toTable(['a request', 'statements are', 'statements', 'ms of PostgreSQL', 'planning', 'rows'], cells),
  );
  const environment = describeEnvironment();
  console.log(`\n${environment.commit}, node ${environment.node}, ${environment.measuredAt}`);
  console.log(`JSON: ${writeResult('statements', { environment, size, measured }, values.out)}`);
  const missed = measured.filter((row) => row.way === 'named' && shareOf(row) > planningMax);
  if (values.check && missed.length > 0) process.exitCode = 1;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
