import { parseArgs } from 'node:util';
import type { Engine } from '../test/support/server.ts';
import { agentSets, readAgentSet } from './agents/agent-set.ts';
import { type AskedQuestion, ask, withStored } from './agents/ask-agent.ts';
import { describeEnvironment } from './report/environment.ts';
import { toTable } from './report/table.ts';
import { writeResult } from './report/write-result.ts';

const usage = `npm run bench agents -- [--set software|house] [--engine sqlite|postgres] [--embedder onnx|static]
  [--show] [--out FILE]
  What an answer of the MCP tool search costs, and whether it is right. --show: prints the answers of the open set.
  Exits 1 above 450 tokens an answer, below 24 right first of 27, or if what is outdated comes first.`;
const bars = { tokens: 450, rightFirst: 24 };

const { values } = parseArgs({
  options: {
    set: { type: 'string' },
    engine: { type: 'string', default: 'sqlite' },
    embedder: { type: 'string', default: 'onnx' },
    show: { type: 'boolean', default: false },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const isFirst = ({ right, found }: AskedQuestion) => found.length > 0 && right.includes(found[0]);
const isAmong = ({ right, found }: AskedQuestion) => found.slice(0, 3).some((id) => right.includes(id));
const mean = (numbers: readonly number[]) => numbers.reduce((sum, value) => sum + value, 0) / numbers.length;

/** Whether something outdated comes before the first right memory, or without one. */
function isOutdatedAbove({ right, outdated = [], found }: AskedQuestion): boolean {
  const first = found.findIndex((id) => right.includes(id));
  return found.slice(0, first === -1 ? undefined : first).some((id) => outdated.includes(id));
}

function countsOf(asked: readonly AskedQuestion[]) {
  const known = asked.filter(({ right }) => right.length > 0);
  return {
    tokens: mean(asked.map(({ tokens }) => tokens)),
    estimated: mean(asked.map(({ estimated }) => estimated)),
    hits: mean(asked.map(({ found }) => found.length)),
    known: known.length,
    rightFirst: known.filter(isFirst).length,
    rightInThree: known.filter(isAmong).length,
    outdatedAbove: asked.filter(isOutdatedAbove).length,
    unmarked: asked.filter(({ outdated = [], found, marked }) =>
      found.some((id) => outdated.includes(id) && !marked.includes(id)),
    ).length,
    unknownAnswered: asked.filter(({ right, found }) => right.length === 0 && found.length > 0).length,
  };
}

async function main(): Promise<void> {
  const options = { engine: values.engine as Engine, embedder: values.embedder };
  const rows: string[][] = [];
  const sets: Record<string, readonly AskedQuestion[]> = {};
  for (const name of agentSets) {
    if (values.set !== undefined && values.set !== name) continue;
    const set = readAgentSet(name);
    const asked = await withStored(set, options, (user, ids) => ask(user, set.questions, ids));
    const counts = countsOf(asked);
    rows.push([name, ...Object.values(counts).map((value) => String(Math.round(value * 10) / 10))]);
    sets[name] = asked;
    const isMissed =
      counts.tokens > bars.tokens || counts.rightFirst < bars.rightFirst || counts.outdatedAbove > 0;
    if (isMissed) process.exitCode = 1;
    if (values.show && name !== 'house') for (const each of asked) print(each);
  }
  const head = [
    'set',
    'tokens',
    'estimated',
    'hits',
    'questions',
    'right first',
    'in three',
    'outdated above',
    'outdated unmarked',
    'unknown answered',
  ];
  console.log(toTable(head, rows));
  const environment = describeEnvironment();
  console.log(`\n${environment.commit}, node ${environment.node}, ${environment.measuredAt}`);
  console.log(`JSON: ${writeResult('agents', { environment, sets }, values.out)}`);
}

function print(asked: AskedQuestion): void {
  const verdict = isFirst(asked) ? 'first' : `wants ${asked.right.join(', ') || 'nothing'}`;
  console.log(
    `${asked.ask} (${verdict}, ${asked.tokens} tokens)\n  ${asked.found.join(', ')}\n  ${asked.text}\n`,
  );
}

if (values.help) console.log(usage);
else await main();
