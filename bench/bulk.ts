/**
 * Rate of bulk creates over that of single creates of one connection, on one service, in rounds by turns. All texts
 * are different, durable when they are answered, with vectors of the static model and derivation in the background.
 */
import { parseArgs } from 'node:util';
import { randomFrom } from '../test/support/random.ts';
import { createUserKey, newDatabase, type Server, startServer } from '../test/support/server.ts';
import { callUntilResponse, openConnection } from './http/connection.ts';
import { generateText } from './http/corpus.ts';
import { englishWords } from './http/english-words.ts';
import { median } from './http/quantiles.ts';
import { toEngines } from './report/engines.ts';
import { describeEnvironment } from './report/environment.ts';
import { toTable } from './report/table.ts';
import { writeResult } from './report/write-result.ts';

const usage = 'npm run bench bulk -- [--engine sqlite|postgres|both] [--rounds N] [--check] [--out FILE]';
const ratioMin = 4;
const singles = 300;
const bulks = 3;
const bulkSize = 500;
const words = englishWords();

type Engine = ReturnType<typeof toEngines>[number];

interface Measured {
  readonly engine: Engine;
  /** Median rates, memories a second. */
  readonly single: number;
  readonly bulk: number;
  readonly ratio: number;
}

async function measure(engine: Engine, rounds: number): Promise<Measured> {
  const database = await newDatabase(engine);
  let server: Server | undefined;
  try {
    server = await startServer({ databaseUrl: database.url });
    const connection = await openConnection(server.url, await createUserKey(database.url, 'bulk'));
    const random = randomFrom(31);
    const text = () => ({ content: generateText(random, words) });
    const rates: { single: number[]; bulk: number[] } = { single: [], bulk: [] };
    const timed = async (kind: 'single' | 'bulk', round: number, count: number, act: () => Promise<void>) => {
      const began = performance.now();
      await act();
      // Round 0 only warms up.
      if (round > 0) rates[kind].push((count / (performance.now() - began)) * 1000);
    };
    for (let round = 0; round <= rounds; round++) {
      await timed('single', round, singles, async () => {
        for (let i = 0; i < singles; i++)
          await callUntilResponse(connection, { method: 'POST', path: '/api/memories', body: text() }, 201);
      });
      await timed('bulk', round, bulks * bulkSize, async () => {
        for (let i = 0; i < bulks; i++) {
          const body = { memories: Array.from({ length: bulkSize }, text) };
          const call = { method: 'POST' as const, path: '/api/memories/bulk', body };
          const reply = await callUntilResponse<{ meta: { created: number } }>(connection, call, 200);
          if (reply.body.meta.created !== bulkSize) throw new Error('hollow: a memory was not created');
        }
      });
    }
    connection.close();
    const single = median(rates.single);
    const bulk = median(rates.bulk);
    return { engine, single, bulk, ratio: bulk / single };
  } finally {
    await server?.stop();
    await database.drop();
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      engine: { type: 'string' },
      rounds: { type: 'string', default: '5' },
      check: { type: 'boolean', default: false },
      out: { type: 'string' },
    },
  });
  const measured: Measured[] = [];
  for (const engine of toEngines(values.engine, usage))
    measured.push(await measure(engine, Number(values.rounds)));
  const rows = measured.map(({ engine, single, bulk, ratio }) => [
    engine,
    single.toFixed(0),
    bulk.toFixed(0),
    `${ratio.toFixed(2)} (target ${ratioMin})`,
  ]);
  console.log(toTable(['engine', 'single creates/s', 'bulk creates/s', 'ratio'], rows));
  const environment = describeEnvironment();
  console.log(`\n${environment.commit}, node ${environment.node}, ${environment.measuredAt}`);
  console.log(`JSON: ${writeResult('bulk', { environment, measured }, values.out)}`);
  if (values.check && measured.some(({ ratio }) => ratio < ratioMin)) process.exitCode = 1;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
