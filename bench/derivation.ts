/**
 * Cost of deriving memories (`derive`, then `relate`) of many users with few new memories each: statements and time of
 * the database, processor time of this process, memories a second. In this process, by its worker, without HTTP, with nothing else to do.
 */
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import pg from 'pg';
import type { Services } from '../src/container.ts';
import { JobWorker, newPaces } from '../src/jobs/job-worker.ts';
import { FailureLog } from '../src/lib/failure-log.ts';
import { ActiveRequests } from '../src/lib/throttle.ts';
import { newAppFixture } from '../test/support/app-fixture.ts';
import { randomFrom } from '../test/support/random.ts';
import { talkTexts } from './http/talk-texts.ts';
import { toEngines } from './report/engines.ts';
import { describeEnvironment } from './report/environment.ts';
import { toTable } from './report/table.ts';
import { writeResult } from './report/write-result.ts';

const usage =
  'npm run bench derivation -- [--engine sqlite|postgres|both] [--users 200] [--memories 300] [--texts N] [--out FILE]';

type Engine = ReturnType<typeof toEngines>[number];

interface Round {
  readonly engine: Engine;
  readonly round: string;
  readonly memoriesPerSecond: number;
  /** Milliseconds a memory of this process, the waits for the database not counted. */
  readonly processMs: number;
  /** Undefined where `pg_stat_statements` is not loaded, and on SQLite. */
  readonly database?: { readonly statements: number; readonly ms: number; readonly planningShare: number };
}

/** Counts what a database was asked, by `pg_stat_statements`. */
class StatementCounter {
  readonly #client: pg.Client;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  /** @returns undefined if the server counts no statements */
  static async of(url: string): Promise<StatementCounter | undefined> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query("SELECT 1 FROM pg_settings WHERE name = 'pg_stat_statements.max'");
    if (rows.length > 0) {
      await client.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
      return new StatementCounter(client);
    }
    await client.end();
    return undefined;
  }

  async begin(): Promise<void> {
    await this.#client.query('SELECT pg_stat_statements_reset()');
  }

  async end(memories: number, listed: number): Promise<NonNullable<Round['database']>> {
    const ofThis =
      'FROM pg_stat_statements WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())';
    const { rows } = await this.#client.query<{ calls: number; ms: number; planning: number }>(
      `SELECT sum(calls)::float8 AS calls, sum(total_exec_time + total_plan_time) AS ms, sum(total_plan_time) AS planning ${ofThis}`,
    );
    if (listed > 0) {
      const { rows: most } = await this.#client.query<{ calls: string; ms: number; query: string }>(
        `SELECT calls, total_exec_time + total_plan_time AS ms, query ${ofThis} ORDER BY calls DESC LIMIT ${listed}`,
      );
      for (const { calls, ms, query } of most)
        console.log(
          `${(Number(calls) / memories).toFixed(2)} ${(ms / memories).toFixed(3)} ms  ${query.replace(/\s+/g, ' ').slice(0, 190)}`,
        );
    }
    const [{ calls, ms, planning }] = rows;
    return { statements: calls / memories, ms: ms / memories, planningShare: planning / ms };
  }

  async close(): Promise<void> {
    await this.#client.end();
  }
}

/** As a service without requests does it; the embedder's work is done with each create. */
async function deriveWaiting({ steps, work }: Services): Promise<void> {
  const failures = new FailureLog();
  const worker = new JobWorker({
    periodic: [],
    steps: { steps, spaces: { toEmbed: () => [] }, work },
    failures,
    paces: newPaces(new ActiveRequests()),
  });
  worker.start();
  for (const step of steps)
    while ((await work.left(step)).waiting > 0) await new Promise((resolve) => setTimeout(resolve, 50));
  await worker.stop();
}

async function measure(engine: Engine, sizes: Sizes): Promise<Round[]> {
  const app = await newAppFixture(engine);
  const counter = engine === 'postgres' ? await StatementCounter.of(app.databaseUrl) : undefined;
  try {
    const users = await Promise.all(
      Array.from({ length: sizes.users }, () => {
        const name = `user-${randomUUID()}`;
        return app.storage.users.insert({
          publicId: randomUUID(),
          name,
          email: `${name}@example.test`,
          at: 1,
        });
      }),
    );
    const text = talkTexts();
    const rounds: Round[] = [];
    for (const [round, seed] of [
      ['new texts', 1],
      ['other texts', 2],
      ['the same again', 2],
    ] as const) {
      const random = randomFrom(seed);
      for (let i = 0; i < sizes.memories; i++)
        await app.services.memories.create(users[i % users.length], { content: text(random) }, {});
      await counter?.begin();
      const [began, cpu] = [performance.now(), process.cpuUsage()];
      await deriveWaiting(app.services);
      const { user, system } = process.cpuUsage(cpu);
      const seconds = (performance.now() - began) / 1000;
      rounds.push({
        engine,
        round,
        memoriesPerSecond: sizes.memories / seconds,
        processMs: (user + system) / 1000 / sizes.memories,
        database: await counter?.end(sizes.memories, sizes.listed),
      });
    }
    return rounds;
  } finally {
    await counter?.close();
    await app.close();
  }
}

interface Sizes {
  readonly users: number;
  readonly memories: number;
  /** The statements that are asked most often, printed. */
  readonly listed: number;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      engine: { type: 'string' },
      users: { type: 'string', default: '200' },
      memories: { type: 'string', default: '300' },
      texts: { type: 'string', default: '0' },
      out: { type: 'string' },
    },
  });
  const sizes = {
    users: Number(values.users),
    memories: Number(values.memories),
    listed: Number(values.texts),
  };
  const measured: Round[] = [];
  for (const engine of toEngines(values.engine, usage)) measured.push(...(await measure(engine, sizes)));
  const rows = measured.map(({ engine, round, memoriesPerSecond, processMs, database }) => [
    engine,
    round,
    memoriesPerSecond.toFixed(0),
    processMs.toFixed(1),
    database?.statements.toFixed(1) ?? '',
    database?.ms.toFixed(1) ?? '',
    database ? `${(100 * database.planningShare).toFixed(0)} %` : '',
  ]);
  const heads = [
    'engine',
    'memories',
    'memories/s',
    'process ms',
    'statements',
    'database ms',
    'of it planning',
  ];
  console.log(toTable(heads, rows));
  const environment = describeEnvironment();
  console.log(`\n${environment.commit}, node ${environment.node}, ${environment.measuredAt}`);
  console.log(`JSON: ${writeResult('derivation', { environment, sizes, measured }, values.out)}`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
