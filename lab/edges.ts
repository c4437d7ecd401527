import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { developmentHalf, readDataSet } from '../bench/locomo/data-set.ts';
import { describeEnvironment } from '../bench/report/environment.ts';
import { writeResult } from '../bench/report/write-result.ts';
import { type MadeEdge, measureService } from './edges/measure-service.ts';

const usage = `npm run bench edges -- [FILE] [--all] [--out FILE]
  FILE: LoCoMo's JSON, else ../shared/data/locomo-dev.json; --all: also prints references`;

/** Maximum false automatic edges per thousand memories. */
const [actingMax, duplicatesMax] = [1, 2];
const acting = /SUPERSEDES|CONTRADICTS|RESOLVES/;

const print = ({ type, confidence, reason, earlier, later }: MadeEdge) =>
  console.log(`${type} ${confidence.toFixed(2)}\n    ${earlier}\n    ${later}\n    ${reason}`);

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { all: { type: 'boolean', default: false }, out: { type: 'string' } },
  });
  const file = positionals[0] ?? developmentHalf;
  if (!existsSync(file)) throw new Error(`No chat at ${file}.\n${usage}`);
  const result = await measureService(readDataSet(file).conversations);
  const { memories, edges, candidates, msPerMemory } = result;
  const ofType = (pattern: RegExp) => edges.filter(({ type }) => pattern.test(type));
  console.log(`${memories} memories of real chat, ${edges.length} automatic edges, ${candidates} candidates`);
  for (const edge of values.all ? edges : ofType(/^(?!REFERENCES)/)) print(edge);
  const perThousand = (count: number) => (1000 * count) / memories;
  const counts = { acting: ofType(acting).length, duplicates: ofType(/DUPLICATES/).length };
  console.log(
    `per 1,000: ${perThousand(counts.acting).toFixed(2)} acting, ${perThousand(counts.duplicates).toFixed(2)} duplicates; ` +
      `${msPerMemory.toFixed(2)} ms of processor time a memory for deriving and comparing`,
  );
  const environment = describeEnvironment();
  console.log(`${environment.commit}, node ${environment.node}, ${environment.measuredAt}`);
  console.log(`JSON: ${writeResult('edges', { environment, ...result }, values.out)}`);
  const missed = [
    ...(perThousand(counts.acting) > actingMax ? [`${counts.acting} acting edges`] : []),
    ...(perThousand(counts.duplicates) > duplicatesMax ? [`${counts.duplicates} duplicates`] : []),
  ];
  for (const target of missed) console.log(`MISSED: ${target}`);
  if (missed.length > 0) process.exitCode = 1;
}

await main();
