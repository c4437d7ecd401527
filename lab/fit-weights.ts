/**
 * Measures each ingredient of ranking, and, by cross-validation, weights fitted to all conversations but one.
 * In process, for speed; `npm run bench locomo` measures the service itself.
 * Usage: npm run bench fit-weights -- [FILE] [--method hybrid|keyword] [--fit]
 */
import { parseArgs } from 'node:util';
import { developmentHalf, readDataSet } from '../bench/locomo/data-set.ts';
import { openInProcess, type Prepared, rankAll } from '../bench/locomo/rank-in-process.ts';
import { toScores } from '../bench/locomo/score.ts';
import { describeEnvironment } from '../bench/report/environment.ts';
import type { ContextPart } from '../src/search/arms/signal.ts';
import { shippedWeights, type Weights } from '../src/search/rank/fuse/weights.ts';

/** A signal and the part of a context through which it counts. */
type Name = readonly [signal: string, part: ContextPart];
const steps = [-0.3, -0.15, -0.05, 0.05, 0.15, 0.3];
const rounds = 2;

/** Recall@10 and MRR weigh the same. */
function objective(sets: readonly Prepared[], weights: Weights): number {
  const { recall10, mrr } = toScores(sets.flatMap((set) => rankAll(set, weights)));
  return recall10 + mrr;
}

/** Coordinate ascent from the shipped weights: changes one weight at a time and keeps each gain. */
function fitted(sets: readonly Prepared[], shipped: Weights): Weights {
  let best = shipped;
  let reached = objective(sets, best);
  for (let round = 0; round < rounds; round++) {
    for (const name of namesOf(shipped)) {
      for (const step of steps) {
        const tried = withWeight(best, name, Math.round((weightOf(best, name) + step) * 100) / 100);
        const value = objective(sets, tried);
        if (value > reached) [best, reached] = [tried, value];
      }
    }
  }
  return best;
}

/** Names of the shipped weights. */
function namesOf(shipped: Weights): Name[] {
  return Object.entries(shipped).flatMap(([signal, parts]) =>
    (Object.keys(parts) as ContextPart[]).map((part): Name => [signal, part]),
  );
}

function weightOf(weights: Weights, [signal, part]: Name): number {
  return weights[signal]?.[part] ?? 0;
}

function withWeight(weights: Weights, [signal, part]: Name, weight: number): Weights {
  return { ...weights, [signal]: { ...weights[signal], [part]: weight } };
}

function line(what: string, ranked: ReturnType<typeof rankAll>): string {
  const { recall10, mrr } = toScores(ranked);
  return `| ${what} | ${recall10.toFixed(4)} | ${mrr.toFixed(4)} |`;
}

function ablations(sets: readonly Prepared[], shipped: Weights): string[] {
  const all = (weights: Weights) => sets.flatMap((set) => rankAll(set, weights));
  return [
    line('every weight', all(shipped)),
    ...namesOf(shipped).map((name) => line(`without ${name.join('.')}`, all(withWeight(shipped, name, 0)))),
    line('own words only', all({ words: { self: 1 } })),
  ];
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { fit: { type: 'boolean', default: false }, method: { type: 'string', default: 'hybrid' } },
  });
  const { method, fit } = values;
  if (method !== 'hybrid' && method !== 'keyword') throw new Error(`--method ${method}?`);
  const shipped = shippedWeights[method];
  const file = positionals[0] ?? developmentHalf;
  const store = await openInProcess();
  const { conversations } = readDataSet(file);
  const sets: Prepared[] = [];
  const semantic: Prepared[] = [];
  for (const conversation of conversations) {
    sets.push(await store.prepare(conversation, method));
    semantic.push(await store.prepare(conversation, 'semantic'));
  }
  await store.close();
  console.log(`${file}, ${method}, ${describeEnvironment().commit}\n`);
  console.log('| | recall@10 | MRR |\n| --- | --- | --- |');
  for (const row of ablations(sets, shipped)) console.log(row);
  const alone = semantic.flatMap((set) => rankAll(set, shippedWeights.semantic));
  console.log(line('semantic alone, as shipped', alone));
  if (fit) reportFits(sets, shipped);
}

function reportFits(sets: readonly Prepared[], shipped: Weights): void {
  const fitOthers = (set: Prepared) =>
    fitted(
      sets.filter((other) => other !== set),
      shipped,
    );
  const leftOut = sets.flatMap((set) => rankAll(set, fitOthers(set)));
  console.log(line('fitted, leave-one-conversation-out', leftOut));
  const best = fitted(sets, shipped);
  const together = sets.flatMap((set) => rankAll(set, best));
  console.log(line('fitted on all', together));
  console.log(JSON.stringify(best));
}

await main();
