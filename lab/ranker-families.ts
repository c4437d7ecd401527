/**
 * Contribution of each family of features to the shipped network, on LoCoMo's
 * development half, which is not in its training data: recall@10 and MRR with the
 * family's features at their means, which removes their information. Trains nothing.
 * Usage: npm run bench ranker-families -- [FILE] [--work FOLDER]
 */
import { mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { developmentHalf, readDataSet } from '../bench/locomo/data-set.ts';
import { describeEnvironment } from '../bench/report/environment.ts';
import { toTable } from '../bench/report/table.ts';
import { families, featureNames, featureOwners } from '../src/search/rank/network/feature-names.ts';
import type { Network } from '../src/search/rank/network/network.ts';
import { networkModel } from '../src/search/rank/ranking-models.ts';
import { collect } from './ranker/collect.ts';
import { scoresOf } from './ranker/fit-network.ts';
import { type LabelledQuestion, measuresOf } from './ranker/labelled.ts';

const { values, positionals } = parseArgs({
  options: { work: { type: 'string' } },
  allowPositionals: true,
});

/** The question with the features of a family at their means; unchanged without a family. */
function without(
  question: LabelledQuestion,
  family: string | undefined,
  { mean }: Network,
): LabelledQuestion {
  const gone = featureNames.flatMap((name, f) => (featureOwners[name] === family ? [f] : []));
  const kept = Float32Array.from(question.values);
  for (let at = 0; at < kept.length; at += featureNames.length) for (const f of gone) kept[at + f] = mean[f];
  return { ...question, values: kept };
}

/** Recall@10 and MRR of an order of the candidates. */
function measured(
  questions: readonly LabelledQuestion[],
  order: (question: LabelledQuestion) => ArrayLike<number>,
): string[] {
  const all = questions.map((question) => measuresOf(question, order(question)));
  return (['recall10', 'mrr'] as const).map((name) =>
    (all.reduce((sum, each) => sum + each[name], 0) / all.length).toFixed(4),
  );
}

if (values.work) mkdirSync(values.work, { recursive: true });
const { conversations } = readDataSet(positionals[0] ?? developmentHalf);
const set = { name: 'locomo', weight: 0, every: 1, users: conversations };
for (const name of ['static', 'encoder'] as const) {
  const [{ questions }] = await collect([set], name, values.work);
  const network = networkModel(name);
  const scores = (family?: string) => (question: LabelledQuestion) =>
    scoresOf(network, without(question, family, network));
  const rows = [
    ['the weighted sum alone', ...measured(questions, ({ sums }) => sums)],
    ['the network', ...measured(questions, scores())],
    ...Object.entries(families).map(([family, { phrase }]) => [
      `without ${phrase}`,
      ...measured(questions, scores(family)),
    ]),
  ];
  console.log(`\n${name}: ${questions.length} questions`);
  console.log(toTable(['', 'recall@10', 'MRR'], rows));
}
console.log(describeEnvironment().commit);
