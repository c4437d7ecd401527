import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { toCompared } from '../src/search/matters/compared-text.ts';
import { sameMatter } from '../src/search/matters/same-matter.ts';
import { distinctTerms, MemoryTerms } from '../src/search/matters/similar-texts.ts';

const usage = `npm run bench similar -- [--half development|second|locked]
  How often a create names the earlier of a pair as similar, and how often something else. Exits 1 below .9 right of all named.`;
const file = 'bench/data/similar/pairs.tsv';
const rightMin = 0.9;

const { values } = parseArgs({ options: { half: { type: 'string', default: 'development' } } });
const pairs = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split('\t'))
  .filter(([half]) => half === values.half)
  .map(([, kind, earlier, later]) => ({ kind, earlier, later }));
if (pairs.length === 0) throw new Error(usage);

const terms = new MemoryTerms();
for (const [i, { earlier }] of pairs.entries()) terms.add(String(i), distinctTerms(earlier));
const count = { pairs: 0, named: 0, ofKind: 0, wrong: 0 };
for (const [i, { kind, later }] of pairs.entries()) {
  if (kind !== 'none') count.pairs++;
  for (const id of terms.nearTo(later)) {
    const { earlier } = pairs[Number(id)];
    const found = sameMatter(toCompared(later), toCompared(earlier), terms.weightOf);
    if (!found) continue;
    if (Number(id) === i && kind !== 'none') {
      count.named++;
      if (found === kind) count.ofKind++;
      continue;
    }
    count.wrong++;
    if (values.half === 'development') console.log(`wrong: ${found} | ${earlier} | ${later}`);
  }
}
const share = count.named / (count.named + count.wrong);
console.log(
  `${values.half}: ${count.named} of ${count.pairs} pairs named, ${count.ofKind} by their kind, ${count.wrong} wrong, ${share.toFixed(2)} right of all named`,
);
if (share < rightMin) process.exitCode = 1;
