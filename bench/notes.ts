import { parseArgs } from 'node:util';
import { client } from '../test/support/http-client.ts';
import { type Engine, newDatabase, type Server, startServer } from '../test/support/server.ts';
import { type MeasuredWay, measureNotes } from './notes/measure-notes.ts';
import { readNoteSet } from './notes/note-set.ts';
import { embedderSettings } from './report/embedder-settings.ts';
import { toEngines } from './report/engines.ts';
import { describeEnvironment } from './report/environment.ts';
import { toTable } from './report/table.ts';
import { writeResult } from './report/write-result.ts';

const usage = `npm run bench notes -- [--engine sqlite|postgres|both] [--embedder static|bundled|onnx] [--missed] [--out FILE]
  --missed: also names the questions of the development half whose note is not among the first 10`;
const enginesDifferMax = 0.01;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      engine: { type: 'string' },
      embedder: { type: 'string', default: 'static' },
      missed: { type: 'boolean', default: false },
      out: { type: 'string' },
    },
  });
  const runs: Record<string, MeasuredWay[]> = {};
  for (const engine of toEngines(values.engine, usage)) {
    runs[engine] = await measureEngine(engine, values.embedder);
    print(engine, runs[engine], values.missed);
  }
  const environment = describeEnvironment();
  console.log(`\n${environment.commit}, node ${environment.node}, ${environment.measuredAt}`);
  const agreed = compareEngines(runs);
  console.log(
    `JSON: ${writeResult('notes', { environment, embedder: values.embedder, engines: runs }, values.out)}`,
  );
  if (!agreed) process.exitCode = 1;
}

async function measureEngine(engine: Engine, embedder: string): Promise<MeasuredWay[]> {
  const database = await newDatabase(engine);
  let server: Server | undefined;
  try {
    server = await startServer({ databaseUrl: database.url, env: embedderSettings(embedder) });
    return await measureNotes(client(server.url, server.key), readNoteSet());
  } finally {
    await server?.stop();
    await database.drop();
  }
}

function print(engine: string, measured: readonly MeasuredWay[], withMissed: boolean): void {
  const rows = measured.map(({ way, half, scores }) => [
    `${way}, ${half}`,
    String(scores.questions),
    ...[scores.recall5, scores.recall10, scores.recall20, scores.mrr].map((value) => value.toFixed(4)),
  ]);
  console.log(`\n${engine}: 150 notes among 1,000 others`);
  console.log(toTable(['way, half', 'questions', 'recall@5', 'recall@10', 'recall@20', 'MRR'], rows));
  if (!withMissed) return;
  for (const { way, missed } of measured)
    if (missed.length > 0 && way !== 'keyword') console.log(`\nmissed by ${way}:\n  ${missed.join('\n  ')}`);
}

/** Whether both engines, when both ran, lie within 0.01 of each other in every recall@10. */
function compareEngines({ sqlite, postgres }: Record<string, MeasuredWay[]>): boolean {
  if (!sqlite || !postgres) return true;
  const differences = sqlite.map(({ scores }, index) =>
    Math.abs(scores.recall10 - (postgres[index]?.scores.recall10 ?? 0)),
  );
  const most = Math.max(...differences);
  const near = most <= enginesDifferMax;
  console.log(`engines differ by at most ${most.toFixed(4)} in recall@10: ${near ? 'ok' : 'FAIL'}`);
  return near;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
