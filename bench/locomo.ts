import { parseArgs } from 'node:util';
import type { AskOptions, SearchMethod } from './locomo/ask-questions.ts';
import { developmentHalf, readDataSet } from './locomo/data-set.ts';
import { type Measured, measure } from './locomo/measure.ts';
import { measureEngine } from './locomo/measure-engine.ts';
import { toEngines } from './report/engines.ts';
import { describeEnvironment } from './report/environment.ts';
import { toTable } from './report/table.ts';
import { writeResult } from './report/write-result.ts';

const usage = `npm run bench locomo -- [FILE] [--engine sqlite|postgres|both] [--method keyword|semantic|hybrid]
  [--context true|false] [--embedder static|bundled|onnx] [--url URL --keys KEY,KEY,...] [--out FILE] [--questions]`;
const enginesDifferMax = 0.01;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      engine: { type: 'string' },
      embedder: { type: 'string', default: 'static' },
      method: { type: 'string', default: 'keyword' },
      context: { type: 'string' },
      url: { type: 'string' },
      keys: { type: 'string' },
      out: { type: 'string' },
      questions: { type: 'boolean', default: false },
    },
  });
  const file = positionals[0] ?? developmentHalf;
  const set = readDataSet(file);
  const options = toOptions(values.method, values.context);
  const runs: Record<string, Measured> = {};
  if (values.url) runs.url = await measure(set, values.url, values.keys?.split(',') ?? [], options);
  else
    for (const engine of toEngines(values.engine, usage))
      runs[engine] = await measureEngine(
        set,
        engine,
        (url, keys) => measure(set, url, keys, options),
        values.embedder,
      );

  const environment = describeEnvironment();
  for (const [name, run] of Object.entries(runs)) print(name, run);
  console.log(`\n${file}, method ${options.method}, context ${options.context ?? 'as the service has it'}`);
  console.log(`${environment.commit}, node ${environment.node}, ${environment.measuredAt}`);
  const agreed = compareEngines(runs);
  const kept = Object.fromEntries(
    Object.entries(runs).map(([name, { questions, ...run }]) => [
      name,
      values.questions ? { ...run, questions } : run,
    ]),
  );
  const path = writeResult(
    'locomo',
    { environment, file, options, embedder: values.embedder, engines: kept },
    values.out,
  );
  console.log(`JSON: ${path}`);
  if (!agreed) process.exitCode = 1;
}

function toOptions(method: string, context: string | undefined): AskOptions {
  if (!['keyword', 'semantic', 'hybrid'].includes(method)) throw new Error(`--method ${method}?\n${usage}`);
  if (context === undefined) return { method: method as SearchMethod };
  if (context !== 'true' && context !== 'false') throw new Error(`--context ${context}?\n${usage}`);
  return { method: method as SearchMethod, context: context === 'true' };
}

function print(
  name: string,
  { scores, methods, memories, importSeconds, stepSeconds, askSeconds }: Measured,
): void {
  const rows = Object.entries(scores).map(([category, score]) => [
    category,
    String(score.questions),
    ...[score.recall5, score.recall10, score.recall20, score.mrr].map((value) => value.toFixed(4)),
  ]);
  console.log(`\n${name}: searched by ${methods.join(', ')}`);
  console.log(toTable(['category', 'questions', 'recall@5', 'recall@10', 'recall@20', 'MRR'], rows));
  const asked = scores.all?.questions ?? 0;
  console.log(
    `${memories} memories in ${importSeconds.toFixed(1)} s, derived ${stepSeconds.toFixed(1)} s later, ${asked} questions in ${askSeconds.toFixed(1)} s`,
  );
}

/** Whether both engines, when both ran, lie within 0.01 of each other in recall@10. */
function compareEngines(runs: Record<string, Measured>): boolean {
  const [sqlite, postgres] = [runs.sqlite?.scores.all, runs.postgres?.scores.all];
  if (!sqlite || !postgres) return true;
  const difference = Math.abs(sqlite.recall10 - postgres.recall10);
  const near = difference <= enginesDifferMax;
  const verdict = near ? 'ok' : 'FAIL';
  console.log(
    `engines differ by ${difference.toFixed(4)} in recall@10 (at most ${enginesDifferMax}): ${verdict}`,
  );
  return near;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
