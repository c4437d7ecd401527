/**
 * Fits the weights of `relevance` to the talks and says how well they judge users that they were not fitted to.
 * Usage: npm run bench:relevance [-- --write]
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { methods, readExamples } from './relevance/examples.ts';
import { fitRelevance, judgeLeftOut } from './relevance/fit-relevance.ts';
import { curveOf, summaryOf, weightOf } from './relevance/report.ts';
import { describeEnvironment } from './report/environment.ts';
import { toTable } from './report/table.ts';

const weightsFile = 'src/retrieval/relevance/weights.ts';

const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
const examples = await readExamples();
for (const method of methods) {
  const judged = judgeLeftOut(examples, method);
  const weighed = weightOf(judged);
  console.log(`\n${method}: first hits, each user judged by weights that were fitted to the others`);
  console.log(toTable(['hits', 'number', 'above 0.5', 'best of ten above 0.5'], summaryOf(judged)));
  console.log(
    toTable(['relevance', 'hits', 'mean', 'right', 'right, as they count'], curveOf(judged, weighed)),
  );
}
const fitted = methods.map((method) => [
  method,
  fitRelevance(examples.filter((example) => example.method === method)),
]);
const text = `// Made by npm run bench:relevance -- --write from bench/data/talks and bench/data/never-stored. Not to be edited.
import type { SearchMethod } from '../request.ts';
import type { RelevanceWeights } from './relevance.ts';

export const relevanceWeights: Readonly<Record<SearchMethod, RelevanceWeights>> = ${toSource(Object.fromEntries(fitted))};
`;
if (values.write) writeFileSync(weightsFile, text);
console.log(
  `\n${describeEnvironment().commit}; ${values.write ? 'written to' : 'not written to'} ${weightsFile}`,
);

/** As the formatter of this repository has it. */
function toSource(value: object): string {
  return JSON.stringify(value, null, 2)
    .replace(/"(\w+)":/g, '$1:')
    .replace(/([\d}])\n/g, '$1,\n');
}
