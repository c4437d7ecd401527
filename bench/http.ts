import { parseArgs } from 'node:util';
import { runCreateAgainst, runGetAgainst, runSearchAgainst } from './http/against.ts';
import { runBriefing } from './http/briefing.ts';
import { runEmbed } from './http/embed.ts';
import { runSemantic, runSemanticCreate, runSemanticUsers } from './http/meaning.ts';
import { type Floor, startFloor } from './http/processes.ts';
import { runSelfCheck } from './http/self-check.ts';
import {
  runAsOf,
  runConcurrency,
  runCreate,
  runFilters,
  runGet,
  runOthers,
  runSearch,
  type Settings,
} from './http/stages.ts';
import { type StageResult, toCells } from './http/verdict.ts';
import { describeEnvironment } from './report/environment.ts';
import { toTable } from './report/table.ts';
import { writeResult } from './report/write-result.ts';

const usage = `npm run bench http -- [--quick] [--engine sqlite|postgres] [--only PART,PART] [--sizes N,N]
  [--rounds N] [--others N] [--embedder static|bundled|none] [--store FOLDER] [--out FILE] [--check] [--against MAIN] [--set NAME=VALUE]
  PART: create, get, search, facets, as-of, filters, briefing, concurrency, others; meaning, meaning-create, meaning-users, embed;
  or self (the floor against itself)
  --against: the dist/main.js of another checkout; only create, get and search, of this build and of that one by turns;
  --set: a setting of this build that the other does not know, and of every service of the parts meaning and embed
  --store: keeps the derived stores of the part briefing (SQLite) in this folder, and takes them from there when they were made before;
  --quick: shorter rounds, sizes 1,000 and 10,000, no "others" and "meaning-users"; --check: exit 1 when a target is missed`;
const semanticParts = ['meaning', 'meaning-create', 'meaning-users'];
const parts = [
  'create',
  'get',
  'search',
  'facets',
  'as-of',
  'filters',
  'briefing',
  'concurrency',
  'others',
  ...semanticParts,
  'embed',
  'self',
];

interface Plan {
  only: readonly string[];
  out: string | undefined;
  check: boolean;
  /** The built command of another checkout to measure against, instead of the floor. */
  against: string | undefined;
  settings: Settings;
}

async function main(): Promise<void> {
  const { only, out, check, against, settings } = toPlan();
  const environment = describeEnvironment();
  const stages: Record<string, StageResult> = {};
  const floor = await startFloor();
  try {
    const planned = against ? toStagesAgainst(against, only, settings) : toStages(floor, only, settings);
    for (const { name, run } of planned) {
      console.log(`\n${name} ...`);
      const result = await run();
      stages[name] = result;
      const head = ['what', 'measured', 'against', 'that', 'ratio', 'target', ''];
      console.log(toTable(head, result.verdicts.map(toCells)));
      for (const [key, value] of Object.entries(result.details))
        console.log(`  ${key}: ${JSON.stringify(value)}`);
    }
  } finally {
    await floor.stop();
  }
  const verdicts = Object.values(stages).flatMap((stage) => stage.verdicts);
  if (verdicts.length === 0 && !only.some((part) => part === 'meaning-users' || part === 'embed'))
    throw new Error(`hollow: nothing was measured\n${usage}`);
  const missed = verdicts.filter(({ reached }) => !reached);
  console.log(
    `\n${verdicts.length - missed.length} of ${verdicts.length} targets reached, engine ${settings.engine}`,
  );
  console.log(
    `${environment.commit}, node ${environment.node}, ${environment.cpu}, ${environment.measuredAt}`,
  );
  console.log(`JSON: ${writeResult('http', { environment, settings, stages }, out)}`);
  if (check && missed.length > 0) process.exitCode = 1;
}

interface Stage {
  name: string;
  run(): Promise<StageResult>;
}

function toStagesAgainst(main: string, only: readonly string[], settings: Settings): Stage[] {
  const stages: Stage[] = [];
  if (only.includes('create')) stages.push({ name: 'create', run: () => runCreateAgainst(main, settings) });
  if (only.includes('get')) stages.push({ name: 'get', run: () => runGetAgainst(main, settings) });
  if (only.includes('search'))
    for (const size of settings.sizes)
      stages.push({ name: `search ${size}`, run: () => runSearchAgainst(main, settings, size) });
  return stages;
}

function toStages(floor: Floor, only: readonly string[], settings: Settings): Stage[] {
  const stages: Stage[] = [];
  if (only.includes('self')) stages.push({ name: 'self', run: () => runSelfCheck(floor, settings) });
  if (only.includes('create')) stages.push({ name: 'create', run: () => runCreate(floor, settings) });
  if (only.includes('get')) stages.push({ name: 'get', run: () => runGet(floor, settings) });
  if (only.includes('search') || only.includes('facets'))
    for (const size of settings.sizes)
      stages.push({ name: `search ${size}`, run: () => runSearch(floor, settings, size) });
  if (only.includes('as-of'))
    for (const size of settings.sizes)
      stages.push({ name: `as-of ${size}`, run: () => runAsOf(settings, size) });
  if (only.includes('filters'))
    for (const size of settings.sizes)
      stages.push({ name: `filters ${size}`, run: () => runFilters(settings, size) });
  if (only.includes('briefing'))
    for (const size of settings.sizes)
      stages.push({ name: `briefing ${size}`, run: () => runBriefing(settings, size) });
  if (only.includes('meaning'))
    for (const size of settings.sizes)
      stages.push({ name: `meaning ${size}`, run: () => runSemantic(settings, size) });
  if (only.includes('embed'))
    for (const size of settings.sizes)
      stages.push({ name: `embed ${size}`, run: () => runEmbed(settings, size) });
  if (only.includes('meaning-create'))
    stages.push({ name: 'meaning-create', run: () => runSemanticCreate(settings) });
  if (only.includes('meaning-users'))
    stages.push({ name: 'meaning-users', run: () => runSemanticUsers(settings) });
  if (only.includes('concurrency')) stages.push({ name: 'concurrency', run: () => runConcurrency(settings) });
  if (only.includes('others')) stages.push({ name: 'others', run: () => runOthers(floor, settings) });
  return stages;
}

function toPlan(): Plan {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      engine: { type: 'string', default: 'sqlite' },
      only: { type: 'string' },
      sizes: { type: 'string' },
      rounds: { type: 'string' },
      others: { type: 'string', default: '1000' },
      embedder: { type: 'string', default: 'static' },
      out: { type: 'string' },
      store: { type: 'string' },
      against: { type: 'string' },
      set: { type: 'string', multiple: true, default: [] },
    },
  });
  const { quick, engine, embedder } = values;
  if (engine !== 'sqlite' && engine !== 'postgres') throw new Error(`--engine ${engine}?\n${usage}`);
  if (embedder !== 'static' && embedder !== 'bundled' && embedder !== 'none')
    throw new Error(`--embedder ${embedder}?\n${usage}`);
  if (values.store !== undefined && engine !== 'sqlite') throw new Error(`--store is for SQLite\n${usage}`);
  const during = quick ? ['meaning', 'meaning-create'] : ['others', ...semanticParts];
  const usual = ['create', 'search', 'facets', 'as-of', 'concurrency', ...during];
  const only = values.only?.split(',') ?? usual;
  const unknown = only.find((part) => !parts.includes(part));
  if (unknown !== undefined) throw new Error(`--only ${unknown}?\n${usage}`);
  const settings: Settings = {
    engine,
    quick,
    rounds: toCount(values.rounds ?? (quick ? '3' : '5')),
    sizes: (values.sizes ?? (quick ? '1000,10000' : '1000,10000,100000')).split(',').map(toCount),
    withContext: only.includes('facets'),
    others: toCount(values.others),
    embedder,
    store: values.store,
    own: Object.fromEntries(values.set.map((pair) => toSetting(pair))),
  };
  return { only, out: values.out, check: values.check, against: values.against, settings };
}

function toSetting(pair: string): [name: string, value: string] {
  const [, name, value] = /^(\w+)=(.*)$/.exec(pair) ?? [];
  if (name === undefined || value === undefined) throw new Error(`--set ${pair}?\n${usage}`);
  return [name, value];
}

function toCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new Error(`"${text}" is not a positive integer\n${usage}`);
  return count;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
