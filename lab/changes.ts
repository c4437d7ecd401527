import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { describeEnvironment } from '../bench/report/environment.ts';
import { loadStaticModel, StaticEmbedder } from '../src/embedding/static/static-model.ts';
import { loadLanguageModel } from '../src/language/language-model.ts';
import type { RelationshipFinding } from '../src/language/relationships/finding.ts';
import { automaticEdge, embedText } from './derive/measure-edges.ts';

const usage = `npm run bench changes -- [--locked] [--faults]
  --locked: the half that no rule is tuned on; --faults: prints each pair that is read wrongly`;

type Label = 'S' | 'P' | 'R' | 'N';

interface Pair {
  readonly label: Label;
  readonly earlier: string;
  readonly later: string;
  readonly outdated: string;
}

const targets = { noticed: 0.7, falseMax: 0 };

function readPairs(file: string): Pair[] {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines
    .filter((line) => !line.startsWith('#'))
    .map((line) => {
      const [label, earlier, later, outdated = ''] = line.split('\t');
      return { label: label as Label, earlier, later, outdated };
    });
}

/** What is wrong with the reading of a pair, if anything. */
function faultOf({ label, outdated }: Pair, found: RelationshipFinding | undefined): string | undefined {
  const acts = found && found.type !== 'REFERENCES' && found.type !== 'DUPLICATES';
  if (label === 'N') return acts ? 'false' : undefined;
  if (label === 'R') return found?.type === 'RESOLVES' ? undefined : 'missed';
  if (found?.type !== 'SUPERSEDES' && found?.type !== 'CONTRADICTS') return 'missed';
  if (label === 'P' && !found.keepsState) return 'hides the rest';
  const words = found.evidence.earlier.text;
  return words.includes(outdated) || outdated.includes(words) ? undefined : 'other words';
}

function main(): void {
  const { values } = parseArgs({
    options: {
      locked: { type: 'boolean', default: false },
      faults: { type: 'boolean', default: false },
    },
  });
  const staticModel = loadStaticModel('models/static-en-256');
  const embedder = new StaticEmbedder('static-en-256', staticModel);
  const model = loadLanguageModel('models/language-en', staticModel.vocabulary);
  const seen = (text: string) => embedText(model, (body) => embedder.embedNow(body), text);
  const counts = new Map<string, number>();
  const count = (key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const pair of readPairs(`lab/data/changes/${values.locked ? 'locked' : 'own'}.tsv`)) {
    const found = automaticEdge(model, seen(pair.earlier), seen(pair.later));
    const fault = faultOf(pair, found);
    count(pair.label);
    if (fault) count(`${pair.label} ${fault}`);
    if (fault && values.faults)
      console.log(
        `${fault}: ${pair.earlier}\n    ${pair.later}\n    ${found?.type ?? ''} ${found?.reason ?? ''}`,
      );
  }
  const of = (key: string) => counts.get(key) ?? 0;
  const changes = of('S') + of('P');
  const missed = of('S missed') + of('P missed');
  const wrong = [...counts].filter(
    ([key]) => key.endsWith(' other words') || key.endsWith(' hides the rest'),
  );
  console.log(
    `changes noticed ${changes - missed} of ${changes}, wrongly ${wrong.reduce((sum, [, n]) => sum + n, 0)}`,
  );
  console.log(
    `resolved ${of('R') - of('R missed')} of ${of('R')}; no changes, but read as such ${of('N false')} of ${of('N')}`,
  );
  const { commit, node, measuredAt } = describeEnvironment();
  console.log(`${commit}, node ${node}, ${measuredAt}`);
  if (changes - missed < targets.noticed * changes || of('N false') > targets.falseMax) {
    console.log(`MISSED a target.\n${usage}`);
    process.exitCode = 1;
  }
}

main();
