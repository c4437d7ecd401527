/**
 * Whether background work keeps up on PostgreSQL: single creates of many users at a steady rate, and every five
 * seconds the age of the oldest step that waits. Creates are sent when they are due, whether or not earlier ones were answered.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { randomFrom } from '../test/support/random.ts';
import { newDatabase, startServer } from '../test/support/server.ts';
import { makeKeys } from './http/processes.ts';
import { median } from './http/quantiles.ts';
import { talkTexts } from './http/talk-texts.ts';
import { describeEnvironment } from './report/environment.ts';
import { toTable } from './report/table.ts';
import { writeResult } from './report/write-result.ts';

const usage =
  'npm run bench steady -- [--users 200] [--per-second 50] [--seconds 120] [--embedder bundled|static] [--derive true|false] [--out FILE]';
const lookEveryMs = 5000;
const sendEveryMs = 20;

interface Sample {
  readonly second: number;
  readonly sent: number;
  /** Number of each step. */
  readonly waiting: string;
  readonly oldestSeconds: number;
  /** Median of the creates answered since the sample before. */
  readonly createMs: number;
}

class Creates {
  readonly #url: string;
  readonly #keys: readonly string[];
  readonly #random = randomFrom(5);
  readonly #text = talkTexts();
  readonly #sent: Promise<void>[] = [];
  #failure: unknown;
  readonly times: number[] = [];

  constructor(url: string, keys: readonly string[]) {
    this.#url = url;
    this.#keys = keys;
  }

  /** Sends so many in all. */
  sendUpTo(count: number): void {
    while (this.sent < count) {
      const created = this.#create(this.#keys[this.sent % this.#keys.length]);
      const failed = (error: unknown) => {
        this.#failure ??= error;
      };
      this.#sent.push(created.catch(failed));
    }
  }

  get sent(): number {
    return this.#sent.length;
  }

  /** @throws the first failure */
  async end(): Promise<void> {
    await Promise.all(this.#sent);
    if (this.#failure) throw this.#failure;
  }

  async #create(key: string): Promise<void> {
    const began = performance.now();
    const response = await fetch(`${this.#url}/api/memories`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ content: this.#text(this.#random) }),
    });
    const text = await response.text();
    if (response.status !== 201) throw new Error(`hollow: a create was answered ${response.status} ${text}`);
    this.times.push(performance.now() - began);
  }
}

/** By step; the age is that of the memory. */
const waitingSteps = `SELECT step, count(*)::int AS waiting, (extract(epoch FROM now()) * 1000 - min(opened_at))::float8 AS ms
  FROM jobs JOIN memory_versions USING (user_id, doc) WHERE due_at IS NOT NULL GROUP BY step ORDER BY step`;

async function measure(
  creates: Creates,
  client: pg.Client,
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<Sample[]> {
  const samples: Sample[] = [];
  const began = performance.now();
  const elapsed = () => (performance.now() - began) / 1000;
  for (let look = 1; elapsed() < seconds; look++) {
    while (elapsed() * 1000 < look * lookEveryMs) {
      creates.sendUpTo(Math.floor(elapsed() * perSecond));
      await delay(sendEveryMs);
    }
    const { rows } = await client.query<{ step: string; waiting: number; ms: number }>(waitingSteps);
    const waiting = rows.map((row) => `${row.step} ${row.waiting}`).join(', ');
    const oldestSeconds = Math.max(0, ...rows.map(({ ms }) => ms)) / 1000;
    const createMs = median(creates.times.splice(0));
    samples.push({ second: Math.round(elapsed()), sent: creates.sent, waiting, oldestSeconds, createMs });
  }
  await creates.end();
  return samples;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      users: { type: 'string', default: '200' },
      'per-second': { type: 'string', default: '50' },
      seconds: { type: 'string', default: '120' },
      embedder: { type: 'string', default: 'bundled' },
      derive: { type: 'string', default: 'true' },
      out: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return;
  }
  const database = await newDatabase('postgres');
  const env = { MEMORYD_EMBEDDER: values.embedder, MEMORYD_DERIVE: values.derive };
  const server = await startServer({ databaseUrl: database.url, env });
  const client = new pg.Client({ connectionString: database.url });
  try {
    await client.connect();
    const names = Array.from({ length: Number(values.users) }, (_, i) => `user-${i}`);
    const creates = new Creates(server.url, await makeKeys(database.url, names));
    const rate = { perSecond: Number(values['per-second']), seconds: Number(values.seconds) };
    const samples = await measure(creates, client, rate);
    console.log(
      toTable(
        ['second', 'sent', 'steps waiting', 'oldest, s', 'create p50, ms'],
        samples.map(({ second, sent, waiting, oldestSeconds, createMs }) => [
          String(second),
          String(sent),
          waiting,
          oldestSeconds.toFixed(1),
          createMs.toFixed(1),
        ]),
      ),
    );
    console.log(`oldest at most ${Math.max(...samples.map((each) => each.oldestSeconds)).toFixed(1)} s`);
    const environment = describeEnvironment();
    console.log(`\n${environment.commit}, node ${environment.node}, ${environment.measuredAt}`);
    console.log(`JSON: ${writeResult('steady', { environment, ...values, samples }, values.out)}`);
  } finally {
    await client.end();
    await server.stop();
    await database.drop();
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
