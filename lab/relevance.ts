/**
 * Fits the weights of `relevance` to the talks and reports how
 * well they judge users outside the training data.
 * Usage: npm run bench relevance [-- --write] [--vectors FILE]
 *   or --other FILE: reports how the shipped weights judge another set in the layout of LoCoMo; fits nothing
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readDataSet } from '../bench/locomo/data-set.ts';
import { describeEnvironment } from '../bench/report/environment.ts';
import { toTable } from '../bench/report/table.ts';
import { readTalkSet } from '../bench/talks/talk-set.ts';
import type { EmbeddingModels } from '../src/embedding/load-models.ts';
import { rankingModelPath, textOfModel } from '../src/search/rank/ranking-models.ts';
import { type RelevanceWeights, relevanceModels } from '../src/search/rank/relevance.ts';
import { openCachedModels } from './ranker/cached-encoder.ts';
import { rankings, readExamples } from './relevance/examples.ts';
import { fitRelevance, judgeAll, judgeLeftOut } from './relevance/fit-relevance.ts';
import { curveHead, curveOf, floorHead, floorsOf, measuresHead, measuresOf } from './relevance/report.ts';

const weightsFile = rankingModelPath('relevance');

const { values } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    vectors: { type: 'string' },
    other: { type: 'string' },
  },
});

/** Fits the weights of each method, with vectors of the static model or of the bundled encoder. */
async function fitAll(name: string, models?: EmbeddingModels): Promise<[string, RelevanceWeights][]> {
  const ranked = models ? rankings.filter((method) => method !== 'keyword') : rankings;
  const examples = await readExamples({ conversations: readTalkSet().conversations, ranked, models });
  return ranked.map((method) => {
    const judged = judgeLeftOut(examples, method);
    console.log(
      `\n${method}, ${name}: the best ten results, each user judged by weights fitted to the others`,
    );
    console.log(toTable(measuresHead, measuresOf(judged)));
    console.log(toTable(curveHead, curveOf(judged)));
    console.log(toTable(floorHead, floorsOf(judged)));
    const fitted = fitRelevance(
      examples.filter((example) => example.method === method),
      method,
    );
    return [models ? `${method}OfEncoder` : method, fitted];
  });
}

async function measureOther(file: string, name: string, models?: EmbeddingModels): Promise<void> {
  const { conversations } = readDataSet(file);
  const examples = await readExamples({ conversations, ranked: ['hybrid'], models });
  const judged = judgeAll(examples, relevanceModels()[models ? 'hybridOfEncoder' : 'hybrid']);
  console.log(`\nhybrid, ${name}: the best ten results of ${file}, judged by the weights in use`);
  console.log(toTable(measuresHead, measuresOf(judged)));
}

async function fitTalks(encoder: EmbeddingModels): Promise<void> {
  const fitted = [...(await fitAll('static')), ...(await fitAll('encoder', encoder))];
  if (values.write) writeFileSync(weightsFile, textOfModel(Object.fromEntries(fitted)));
  console.log(`\n${values.write ? 'written to' : 'not written to'} ${weightsFile}`);
}

const encoder = openCachedModels(values.vectors);
try {
  if (values.other === undefined) await fitTalks(encoder.models);
  else {
    await measureOther(values.other, 'static');
    await measureOther(values.other, 'encoder', encoder.models);
  }
} finally {
  await encoder.close();
}
console.log(describeEnvironment().commit);
