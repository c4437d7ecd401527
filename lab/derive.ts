import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { developmentHalf } from '../bench/locomo/data-set.ts';
import { describeEnvironment } from '../bench/report/environment.ts';
import { toTable } from '../bench/report/table.ts';
import { writeResult } from '../bench/report/write-result.ts';
import { loadStaticModel, StaticEmbedder } from '../src/embedding/static/static-model.ts';
import { type LanguageModel, loadLanguageModel } from '../src/language/language-model.ts';
import { type LabelledSet, readLabelled } from './derive/labelled.ts';
import { measureAliases } from './derive/measure-aliases.ts';
import { type ChatResult, measureChat, readChat } from './derive/measure-chat.ts';
import { measureCost } from './derive/measure-cost.ts';
import { type Embed, measureEdges } from './derive/measure-edges.ts';
import { measureEntities } from './derive/measure-entities.ts';
import { measureFacts } from './derive/measure-facts.ts';
import type { Scores } from './derive/score.ts';

const usage = `npm run bench derive -- [--set given|own|locked] [--chat FILE] [--faults] [--out FILE]
  --set: one labelled set instead of all; --chat: LoCoMo's JSON for counting false edges, else ../shared/data/locomo-dev.json
  --faults: also prints what was found wrongly or missed`;

/** Turns whose cost is measured. */
const costTurns = 800;

interface Targets {
  readonly entities: number;
  readonly facts: readonly [precision: number, recall: number];
  readonly edges: readonly [precision: number, recall: number];
  readonly aliases: number;
}
const targets: Readonly<Record<string, Targets>> = {
  given: { entities: 0.85, facts: [0.85, 0.6], edges: [0.9, 0.6], aliases: 0.95 },
  own: { entities: 0.8, facts: [0.8, 0.5], edges: [0.9, 0.6], aliases: 0.95 },
  locked: { entities: 0.8, facts: [0.8, 0.5], edges: [0.9, 0.6], aliases: 0.95 },
};
/** Maximum false automatic edges per thousand memories. */
const [chatEdgesMax, chatDuplicatesMax] = [1, 2];

function main(): void {
  const { values } = parseArgs({
    options: {
      set: { type: 'string' },
      chat: { type: 'string', default: developmentHalf },
      faults: { type: 'boolean', default: false },
      out: { type: 'string' },
    },
  });
  const { model, embed, load } = loadModels();
  const names = values.set === undefined ? ['given', 'own', 'locked'] : [values.set];
  const sets = names
    .map((name) => readLabelled(`lab/data/language/${name}`))
    .filter((set) => set !== undefined);
  if (sets.length === 0) throw new Error(`--set ${values.set}?\n${usage}`);
  const missed: string[] = [];
  const labelled = sets.map((set) => reportSet(model, embed, set, values.faults, missed));
  const chats = readChat(values.chat);
  const chat = chats ? reportChat(measureChat(model, embed, chats), missed) : undefined;
  if (!chats) console.log(`\nNo chat at ${values.chat}: false edges were not counted.`);
  const texts =
    chats?.flat().slice(0, costTurns) ?? sets.flatMap(({ notes }) => notes.map(({ text }) => text));
  // New models, because those above have cached the sentences.
  const cost = measureCost(loadModels().model, embed, texts);
  console.log(
    `\nProcessor time a text (the second half of ${texts.length}${chats ? ' turns' : ' notes'}), ms:`,
  );
  console.log(
    toTable(
      ['step', 'ms'],
      Object.entries(cost).map(([step, ms]) => [step, ms.toFixed(3)]),
    ),
  );
  const environment = describeEnvironment();
  console.log(`\n${environment.commit}, node ${environment.node}, ${environment.measuredAt}`);
  const result = { environment, load, sets: labelled, chat, cost, missed };
  console.log(`JSON: ${writeResult('derive', result, values.out)}`);
  for (const target of missed) console.log(`MISSED: ${target}`);
  if (missed.length > 0) process.exitCode = 1;
}

function loadModels(): { model: LanguageModel; embed: Embed; load: object } {
  const staticModel = loadStaticModel('models/static-en-256');
  const embedder = new StaticEmbedder('static-en-256', staticModel);
  const [memory, start, cpu] = [memoryMB(), performance.now(), process.cpuUsage()];
  const model = loadLanguageModel('models/language-en', staticModel.vocabulary);
  const load = {
    ms: Math.round(performance.now() - start),
    cpuMs: Math.round(process.cpuUsage(cpu).user / 1000),
    memoryMB: Math.round(memoryMB() - memory),
  };
  console.log(`Models loaded in ${load.ms} ms (${load.cpuMs} ms of processor time), ${load.memoryMB} MB.`);
  return { model, embed: (text) => embedder.embedNow(text), load };
}

/** Memory in use after a garbage collection. */
function memoryMB(): number {
  setFlagsFromString('--expose-gc');
  // The backing stores of the buffers that the first collection finds are freed with the next.
  for (let i = 0; i < 3; i++) runInNewContext('gc')();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 2 ** 20;
}

function reportSet(
  model: LanguageModel,
  embed: Embed,
  set: LabelledSet,
  withFaults: boolean,
  missed: string[],
) {
  const entities = measureEntities(model, set.notes);
  const facts = measureFacts(model, set.statements);
  const edges = measureEdges(model, embed, set.pairs);
  const aliases = measureAliases(model, set.aliases);
  const rows = [...rowsOf('entities', entities), ...rowsOf('', facts), ...rowsOf('edges', edges)];
  console.log(`\nSet ${set.name}:`);
  console.log(toTable(['what', 'precision', 'recall', 'F1', 'labelled'], rows));
  const share = aliases.right / aliases.judged;
  console.log(`aliases: ${aliases.right} of ${aliases.judged} right, ${aliases.wrongMerges} merged wrongly`);
  if (withFaults)
    for (const fault of [entities, facts, edges, aliases].flatMap(({ faults }) => faults)) console.log(fault);
  const target = targets[set.name];
  const check = (what: string, value: number, least: number) => {
    if (value < least) missed.push(`${set.name}: ${what} ${value.toFixed(3)}, not ${least}`);
  };
  check('entities F1', entities.all.f1, target.entities);
  check('facts precision', facts.all.precision, target.facts[0]);
  check('facts recall', facts.all.recall, target.facts[1]);
  check('edges precision', edges.all.precision, target.edges[0]);
  check('edges recall', edges.all.recall, target.edges[1]);
  check('aliases', share, target.aliases);
  return { name: set.name, rows, aliases: { right: aliases.right, judged: aliases.judged } };
}

const rowsOf = (title: string, scores: Scores) =>
  [...scores.byKind]
    .filter(([kind]) => title !== '' || kind !== 'all')
    .sort(([a], [b]) => Number(a === 'all') - Number(b === 'all'))
    .map(([kind, score]) => [
      `${title} ${kind}`.trim(),
      score.precision.toFixed(3),
      score.recall.toFixed(3),
      score.f1.toFixed(3),
      String(score.labelled),
    ]);

/** Prints each automatic edge, for a person to judge. */
function reportChat(chat: ChatResult, missed: string[]): ChatResult {
  console.log(
    `\nChat without labels: ${chat.turns} turns, ${chat.pairs} pairs, ${chat.edges.length} automatic edges`,
  );
  for (const { type, earlier, later, reason } of chat.edges)
    console.log(`${type}: ${earlier.slice(0, 160)}\n    ${later.slice(0, 160)}\n    ${reason}`);
  const perThousand = (count: number) => (1000 * count) / chat.turns;
  const acting = chat.edges.filter(({ type }) => /SUPERSEDES|CONTRADICTS|RESOLVES/.test(type)).length;
  const duplicates = chat.edges.filter(({ type }) => type === 'DUPLICATES').length;
  console.log(
    `per 1,000: ${perThousand(acting).toFixed(2)} acting, ${perThousand(duplicates).toFixed(2)} duplicates`,
  );
  if (perThousand(acting) > chatEdgesMax) missed.push(`chat: ${acting} acting edges`);
  if (perThousand(duplicates) > chatDuplicatesMax) missed.push(`chat: ${duplicates} duplicates`);
  return chat;
}

main();
