/**
 * Recall and MRR by kind of user on the talks that were written for memoryd: over HTTP on the engines of this
 * machine, or in process for tuning.
 */
import { parseArgs } from 'node:util';
import type { SearchMethod } from './locomo/ask-questions.ts';
import type { DataSet } from './locomo/data-set.ts';
import { measure } from './locomo/measure.ts';
import { measureEngine } from './locomo/measure-engine.ts';
import { openInProcess, rankAllReranked } from './locomo/rank-in-process.ts';
import type { RankedQuestion, Scores } from './locomo/score.ts';
import { toEngines } from './report/engines.ts';
import { describeEnvironment } from './report/environment.ts';
import { toTable } from './report/table.ts';
import { writeResult } from './report/write-result.ts';
import { largestDifference, toScoresByKind } from './talks/scores-by-kind.ts';
import { readTalkSet } from './talks/talk-set.ts';

const usage = `npm run bench talks -- [--engine sqlite|postgres|both] [--method keyword|semantic|hybrid] [--embedder static|bundled|onnx] [--in-process]
  [--out FILE]`;
const enginesDifferMax = 0.005;

type ScoresByKind = Record<string, Scores>;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      engine: { type: 'string' },
      embedder: { type: 'string', default: 'static' },
      method: { type: 'string', default: 'hybrid' },
      'in-process': { type: 'boolean', default: false },
      out: { type: 'string' },
    },
  });
  const method = toMethod(values.method);
  const set = readTalkSet();
  const runs: Record<string, ScoresByKind> = {};
  if (values['in-process']) runs['in process'] = await rankInProcess(set, method);
  else
    for (const engine of toEngines(values.engine, usage))
      runs[engine] = await measureEngine(
        set,
        engine,
        async (url, keys) => toScoresByKind((await measure(set, url, keys, { method })).questions),
        values.embedder,
      );
  for (const [name, scores] of Object.entries(runs)) print(name, scores);
  const environment = describeEnvironment();
  console.log(
    `\nmethod ${method}, ${environment.commit}, node ${environment.node}, ${environment.measuredAt}`,
  );
  const agreed = compareEngines(runs);
  console.log(
    `JSON: ${writeResult('talks', { environment, method, embedder: values.embedder, runs }, values.out)}`,
  );
  if (!agreed) process.exitCode = 1;
}

function toMethod(name: string): SearchMethod {
  if (name === 'keyword' || name === 'semantic' || name === 'hybrid') return name;
  throw new Error(`--method ${name}?\n${usage}`);
}

/** Ranks without derived data, and so without the rules for questions. */
async function rankInProcess(set: DataSet, method: SearchMethod): Promise<ScoresByKind> {
  const store = await openInProcess();
  try {
    const ranked: Record<string, RankedQuestion[]> = {};
    for (const conversation of set.conversations)
      ranked[conversation.id] = await rankAllReranked(await store.prepare(conversation, method), store);
    return toScoresByKind(ranked);
  } finally {
    await store.close();
  }
}

function print(name: string, scores: ScoresByKind): void {
  const rows = Object.entries(scores).map(([kind, score]) => [
    kind,
    String(score.questions),
    ...[score.recall5, score.recall10, score.recall20, score.mrr].map((value) => value.toFixed(4)),
  ]);
  console.log(`\n${name}`);
  console.log(toTable(['kind of user', 'questions', 'recall@5', 'recall@10', 'recall@20', 'MRR'], rows));
}

/** Whether both engines, when both ran, agree for every kind of user. */
function compareEngines({ sqlite, postgres }: Record<string, ScoresByKind>): boolean {
  if (!sqlite || !postgres) return true;
  const most = largestDifference(sqlite, postgres);
  const verdict = most <= enginesDifferMax ? 'ok' : 'FAIL';
  console.log(
    `engines differ by at most ${most.toFixed(4)} in recall@10 or MRR (at most ${enginesDifferMax}): ${verdict}`,
  );
  return most <= enginesDifferMax;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
