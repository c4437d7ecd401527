/**
 * What each ingredient of ranking gives, and what weights fitted to other conversations give on one that was left out.
 * In process, for speed; `npm run bench:locomo` measures the service itself.
 * Usage: npm run bench:weights -- [FILE] [--fit]
 */
import { parseArgs } from 'node:util';
import { type ContextWeights, wordWeights } from '../src/retrieval/rank/weights.ts';
import { readDataSet } from './locomo/data-set.ts';
import { type Prepared, prepare, rankAll } from './locomo/rank-in-process.ts';
import { toScores } from './locomo/score.ts';
import { describeEnvironment } from './report/environment.ts';

type Name = keyof ContextWeights;
const names = Object.keys(wordWeights) as Name[];
const steps = [-0.3, -0.15, -0.05, 0.05, 0.15, 0.3];
const rounds = 2;

/** Recall@10 and MRR weigh the same. */
function objective(sets: readonly Prepared[], weights: ContextWeights): number {
  const { recall10, mrr } = toScores(sets.flatMap((set) => rankAll(set, weights)));
  return recall10 + mrr;
}

/** Coordinate ascent from the weights that ship: one weight at a time, kept where it gains. */
function fitted(sets: readonly Prepared[]): ContextWeights {
  let best = wordWeights;
  let reached = objective(sets, best);
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      for (const step of steps) {
        const tried = { ...best, [name]: Math.round((best[name] + step) * 100) / 100 };
        const value = objective(sets, tried);
        if (value > reached) [best, reached] = [tried, value];
      }
    }
  }
  return best;
}

function line(what: string, ranked: ReturnType<typeof rankAll>): string {
  const { recall10, mrr } = toScores(ranked);
  return `| ${what} | ${recall10.toFixed(4)} | ${mrr.toFixed(4)} |`;
}

function ablations(sets: readonly Prepared[]): string[] {
  const all = (weights: ContextWeights) => sets.flatMap((set) => rankAll(set, weights));
  const nothing = Object.fromEntries(names.map((name) => [name, 0])) as unknown as ContextWeights;
  return [
    line('every ingredient', all(wordWeights)),
    ...names.map((name) => line(`without ${name}`, all({ ...wordWeights, [name]: 0 }))),
    line('own words only', all(nothing)),
  ];
}

function main(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { fit: { type: 'boolean', default: false } },
  });
  const file = positionals[0] ?? '../shared/data/locomo-dev.json';
  const sets = readDataSet(file).conversations.map(prepare);
  console.log(`${file}, ${describeEnvironment().commit}\n\n| | recall@10 | MRR |\n| --- | --- | --- |`);
  for (const row of ablations(sets)) console.log(row);
  if (!values.fit) return;
  const leftOut = sets.flatMap((set) => rankAll(set, fitted(sets.filter((other) => other !== set))));
  console.log(line('fitted, leave-one-conversation-out', leftOut));
  const best = fitted(sets);
  console.log(
    line(
      'fitted on all',
      sets.flatMap((set) => rankAll(set, best)),
    ),
  );
  console.log(JSON.stringify(best));
}

main();
