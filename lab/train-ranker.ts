/**
 * Trains the networks that rerank the best results of a hybrid search, on talks and
 * notes of this project and FriendsQA. Reports how well they rank the talks of
 * users outside the training data. The same data give the same bytes.
 * Usage: npm run bench train-ranker --
 *   [--friends FILE] [--work FOLDER] [--write] [--left-out] [--without FAMILY,...]
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { describeEnvironment } from '../bench/report/environment.ts';
import { toTable } from '../bench/report/table.ts';
import { readTalkSet } from '../bench/talks/talk-set.ts';
import { families, featureNames, featureOwners } from '../src/search/rank/network/feature-names.ts';
import type { NetworkModel } from '../src/search/rank/network/network.ts';
import { type NetworkName, rankingModelPath, textOfModel } from '../src/search/rank/ranking-models.ts';
import { type Collected, collect } from './ranker/collect.ts';
import { fitNetwork, scoresOf } from './ranker/fit-network.ts';
import { type LabelledQuestion, measuresOf } from './ranker/labelled.ts';
import { readTrainingSets } from './ranker/training-sets.ts';

const friendsQa = '../shared/data/ranker/friendsqa.json.gz';
const seed = 1;
const steps = 120;
/** Factor by which FriendsQA is thinned with `--left-out`, which trains each model eight times. */
const thinned = 3;

const { values } = parseArgs({
  options: {
    friends: { type: 'string', default: friendsQa },
    work: { type: 'string' },
    write: { type: 'boolean', default: false },
    'left-out': { type: 'boolean', default: false },
    without: { type: 'string', default: '' },
  },
});

async function main(): Promise<void> {
  if (values.work) mkdirSync(values.work, { recursive: true });
  const sets = readTrainingSets(values.friends);
  const asAsked = [{ name: 'talks as asked', weight: 0, every: 1, users: readTalkSet().conversations }];
  for (const name of ['static', 'encoder'] as const) {
    const collected = (await collect(sets, name, values.work)).map(without);
    if (values['left-out']) {
      const [{ questions }] = (await collect(asAsked, name, values.work)).map(without);
      reportLeftOut(name, collected, questions);
      continue;
    }
    const network = fitNetwork(collected, { seed, steps });
    const model: NetworkModel = { ...network, scale: scaleOf(collected, network) };
    console.log(`${name}: scale ${model.scale}`);
    if (values.write) writeFileSync(rankingModelPath(`network-${name}`), textOfModel(model));
  }
  console.log(describeEnvironment().commit);
}

/** The set with the features of the excluded families set to 0. */
function without(set: Collected): Collected {
  const names = values.without.split(',').filter((name) => name !== '');
  if (names.length === 0) return set;
  for (const name of names)
    if (name !== 'query' && !(name in families)) throw new Error(`--without ${name}?`);
  const gone = featureNames.flatMap((name, f) => (names.includes(featureOwners[name]) ? [f] : []));
  for (const { values: of } of set.questions)
    for (let at = 0; at < of.length; at += featureNames.length) for (const f of gone) of[at + f] = 0;
  return set;
}

type Result = Readonly<Record<'sum' | 'network', ReturnType<typeof measuresOf>>>;

/** Reports the ranking of each user's original questions by networks trained on the other users. */
function reportLeftOut(
  name: NetworkName,
  collected: readonly Collected[],
  asked: readonly LabelledQuestion[],
): void {
  const results = new Map<string, Result[]>();
  for (const user of new Set(asked.map((question) => question.user))) {
    const others = collected.map((set) => ({ ...set, questions: othersOf(set, user) }));
    const network = fitNetwork(others, { seed, steps });
    for (const question of asked.filter((each) => each.user === user)) {
      const result = {
        sum: measuresOf(question, question.sums),
        network: measuresOf(question, scoresOf(network, question)),
      };
      for (const key of [kindOf(user), 'all']) results.set(key, [...(results.get(key) ?? []), result]);
    }
  }
  const rows = [...results].map(([kind, of]) => [kind, String(of.length), ...meansOf(of)]);
  console.log(`\n${name}: talks of users that were not trained on, recall@10 and MRR`);
  console.log(toTable(['kind of user', 'questions', 'sum', 'sum', 'network', 'network'], rows));
}

function othersOf({ name, questions }: Collected, user: string): LabelledQuestion[] {
  const isThinned = name.startsWith('friends');
  return questions.filter((question, i) => question.user !== user && (!isThinned || i % thinned === 0));
}

function meansOf(results: readonly Result[]): string[] {
  return (['sum', 'network'] as const).flatMap((by) =>
    (['recall10', 'mrr'] as const).map((measure) => {
      const sum = results.reduce((total, result) => total + result[by][measure], 0);
      return (sum / results.length).toFixed(4);
    }),
  );
}

function kindOf(user: string): string {
  return user.split('-')[0];
}

/** Spread of the weighted sums divided by that of the network's scores: median over questions, two digits. */
function scaleOf(collected: readonly Collected[], network: Parameters<typeof scoresOf>[0]): number {
  const talks = collected
    .filter(({ name }) => name === 'talks' || name === 'notes')
    .flatMap((set) => set.questions);
  const ratios = talks.map((question) => spread(question.sums) / spread(scoresOf(network, question)));
  ratios.sort((a, b) => a - b);
  return Number(ratios[ratios.length >> 1].toPrecision(2));
}

function spread(of: Float64Array): number {
  const mean = of.reduce((sum, value) => sum + value, 0) / of.length;
  return Math.sqrt(of.reduce((sum, value) => sum + (value - mean) ** 2, 0) / of.length);
}

await main();
