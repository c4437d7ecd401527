/**
 * Fits the weights of `relevance` to the talks and says how well they judge users that they were not fitted to.
 * Usage: npm run bench relevance [-- --write] [--vectors FILE]
 *   or --other FILE: how hybrid search as it is judges the users of another set, in the layout of LoCoMo; nothing is fitted
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readDataSet } from '../bench/locomo/data-set.ts';
import { describeEnvironment } from '../bench/report/environment.ts';
import { toTable } from '../bench/report/table.ts';
import { readTalkSet } from '../bench/talks/talk-set.ts';
import type { EmbeddingModels } from '../src/embedding/load-models.ts';
import type { RelevanceWeights } from '../src/search/rank/relevance/relevance.ts';
import { relevanceWeights } from '../src/search/rank/relevance/weights.ts';
import { openCachedModels } from './ranker/cached-encoder.ts';
import { rankings, readExamples } from './relevance/examples.ts';
import { fitRelevance, judgeAll, judgeLeftOut } from './relevance/fit-relevance.ts';
import { curveOf, summaryOf, weightOf } from './relevance/report.ts';

const weightsFile = 'src/search/rank/relevance/weights.ts';

const { values } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    vectors: { type: 'string' },
    other: { type: 'string' },
  },
});

/** By method, with vectors of the static model or of the encoder that comes with the service. */
async function fitAll(name: string, models?: EmbeddingModels): Promise<[string, RelevanceWeights][]> {
  const ranked = models ? rankings.filter((method) => method !== 'keyword') : rankings;
  const examples = await readExamples({ conversations: readTalkSet().conversations, ranked, models });
  return ranked.map((method) => {
    const judged = judgeLeftOut(examples, method);
    const weighed = weightOf(judged);
    console.log(
      `\n${method}, ${name}: first hits, each user judged by weights that were fitted to the others`,
    );
    console.log(toTable(['hits', 'number', 'above 0.5', 'best of ten above 0.5'], summaryOf(judged)));
    console.log(
      toTable(['relevance', 'hits', 'mean', 'right', 'right, as they count'], curveOf(judged, weighed)),
    );
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
  const judged = judgeAll(examples, relevanceWeights[models ? 'hybridOfEncoder' : 'hybrid']);
  console.log(`\nhybrid, ${name}: first hits of ${file}, judged by the weights in use`);
  console.log(toTable(['hits', 'number', 'above 0.5', 'best of ten above 0.5'], summaryOf(judged)));
}

async function fitTalks(encoder: EmbeddingModels): Promise<void> {
  const fitted = [...(await fitAll('static')), ...(await fitAll('encoder', encoder))];
  const text = `// Made by npm run bench relevance -- --write from bench/data/talks and lab/data/never-stored. Not to be edited.
import type { RelevanceModel, RelevanceWeights } from './relevance.ts';

export const relevanceWeights: Readonly<Record<RelevanceModel, RelevanceWeights>> = ${toSource(Object.fromEntries(fitted))};
`;
  if (values.write) writeFileSync(weightsFile, text);
  console.log(`\n${values.write ? 'written to' : 'not written to'} ${weightsFile}`);
}

/** As the formatter of this repository has it. */
function toSource(value: object): string {
  return JSON.stringify(value, null, 2)
    .replace(/"(\w+)":/g, '$1:')
    .replace(/([\d}])\n/g, '$1,\n');
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
