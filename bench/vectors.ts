import { parseArgs } from 'node:util';
import { type Engine, engines } from '../test/support/database.ts';
import { describeEnvironment } from './report/environment.ts';
import { toTable } from './report/table.ts';
import { writeResult } from './report/write-result.ts';
import { type MeasuredEngine, measureEngine } from './vectors/measure.ts';
import { measureSqliteVec } from './vectors/sqlite-vec.ts';
import { generateTexts } from './vectors/texts.ts';

const usage = `npm run bench vectors -- [--engine sqlite|postgres|both|none] [--size N] [--queries N] [--others N]
    [--sqlite-vec] [--out FILE]
  --others: that many other users with 500 memories each stand in the same store
  --sqlite-vec: also measures the extension sqlite-vec on the same vectors, in the same run`;
const seed = 7;
const recallMin = 0.97;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      engine: { type: 'string' },
      size: { type: 'string', default: '100000' },
      queries: { type: 'string', default: '500' },
      others: { type: 'string', default: '0' },
      'sqlite-vec': { type: 'boolean', default: false },
      out: { type: 'string' },
    },
  });
  const texts = generateTexts(Number(values.size), Number(values.queries), seed);
  const measured: MeasuredEngine[] = [];
  for (const engine of toEngines(values.engine)) {
    const result = await measureEngine(engine, texts, Number(values.others));
    print(result, texts.memories.length, texts.queries.length);
    measured.push(result);
  }
  const sqliteVec = values['sqlite-vec'] ? measureSqliteVec(texts) : undefined;
  if (sqliteVec) {
    const rows = sqliteVec.map(({ way, recall, ms, toBruteForce }) => [way, recall, ms, toBruteForce]);
    const cells = rows.map(([way, ...numbers]) => [String(way), ...numbers.map((n) => Number(n).toFixed(3))]);
    console.log(`\n${toTable(['sqlite-vec', 'recall@20', 'ms a query', 'to brute force'], cells)}`);
  }
  const environment = describeEnvironment();
  console.log(`\n${environment.commit}, node ${environment.node}, ${environment.measuredAt}`);
  console.log(`JSON: ${writeResult('vectors', { environment, measured, sqliteVec }, values.out)}`);
  if (measured.some(({ filters }) => filters.some(({ recall }) => recall < recallMin))) process.exitCode = 1;
}

/** Without `--engine`, every engine that this machine can test. */
function toEngines(name: string | undefined): readonly Engine[] {
  if (name === undefined) return engines;
  if (name === 'none') return [];
  if (name === 'both') return ['sqlite', 'postgres'];
  if (name !== 'sqlite' && name !== 'postgres') throw new Error(`--engine ${name}?\n${usage}`);
  return [name];
}

function print(measured: MeasuredEngine, memories: number, queries: number): void {
  const { engine, loadMs, longestTurnMs, indexMiB, codesMiB, bruteForceMs } = measured;
  console.log(`\n${engine}: ${memories} memories of one user, ${queries} queries`);
  console.log(
    `index read in ${loadMs.toFixed(0)} ms, at most ${longestTurnMs.toFixed(0)} ms at a time; ` +
      `${indexMiB.toFixed(1)} MiB, of them codes ${codesMiB.toFixed(1)}; brute force ${bruteForceMs.toFixed(1)} ms`,
  );
  const rows = measured.filters.map(({ filter, recall, msPerQuery, toBruteForce }) => [
    filter,
    ...[recall, msPerQuery, toBruteForce].map((value) => value.toFixed(3)),
    recall >= recallMin ? 'ok' : 'MISSED',
  ]);
  console.log(toTable(['filter', 'recall@20', 'ms a query', 'to brute force', `>= ${recallMin}`], rows));
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
