import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { type Line, measureConfiguration, type Plan } from './floor/configuration.ts';
import { describeEnvironment } from './report/environment.ts';
import { toTable } from './report/table.ts';
import { writeResult } from './report/write-result.ts';

const usage = `npm run bench:floor -- [--small] [--only default|static] [--out FILE]
  Each configuration as it ships next to a bare Fastify with SQLite (FTS5, exact scan of float vectors), which is given
  the vector of each query. --small: a hundredth of it, which shows only that it runs.`;

/** What ships: the encoder and derivation; and the same with the static model alone. */
const configurations = {
  default: { MEMORYD_EMBEDDER: 'bundled' },
  static: { MEMORYD_EMBEDDER: 'static' },
} as const;
type Name = keyof typeof configurations;
const whole: Plan = {
  few: 1000,
  many: 10_000,
  starts: 5,
  rounds: 3,
  queriesPerRound: 100,
  createMs: 2000,
  pausesMs: { afterStart: 15_000, afterWork: 30_000 },
  readSeconds: 8,
};
const small: Plan = {
  few: 60,
  many: 240,
  starts: 1,
  rounds: 1,
  queriesPerRound: 10,
  createMs: 100,
  pausesMs: { afterStart: 0, afterWork: 0 },
  readSeconds: 1,
};

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      small: { type: 'boolean', default: false },
      only: { type: 'string' },
      out: { type: 'string' },
    },
  });
  const names = (Object.keys(configurations) as Name[]).filter(
    (name) => values.only === undefined || values.only === name,
  );
  if (names.length === 0) throw new Error(`--only ${values.only}?\n${usage}`);
  const environment = describeEnvironment();
  const load = [loadavg()[0]];
  const measured: { name: Name; lines: Line[] }[] = [];
  for (const name of names) {
    const log = (text: string) => console.log(`${name}: ${text} ...`);
    const plan = values.small ? small : whole;
    measured.push({ name, lines: await measureConfiguration(configurations[name], plan, log) });
    load.push(loadavg()[0]);
  }
  console.log(`\n${toFloorTable(measured)}\n`);
  const { commit, node, cpu, cores, measuredAt } = environment;
  console.log(`${commit}, node ${node}, ${cores} cores (${cpu}), ${measuredAt}`);
  console.log(
    `load of a minute before, between and after: ${load.map((each) => each.toFixed(1)).join(', ')}`,
  );
  console.log(`JSON: ${writeResult('floor', { environment, load, measured }, values.out)}`);
}

/** Every configuration with the floor of its own run. */
function toFloorTable(measured: readonly { name: Name; lines: readonly Line[] }[]): string {
  const head = ['', ...measured.flatMap(({ name }) => [name, 'floor', 'ratio']), 'goal', ''];
  const rows = measured[0].lines.map((line, i) => [
    line.what,
    ...measured.flatMap(({ lines }) => toCells(lines[i])),
    ...toGoal(line),
  ]);
  return toTable(head, rows);
}

function toCells({ what, ours, floor }: Line): string[] {
  if (!(ours > 0) || (floor !== undefined && !(floor > 0)))
    throw new Error(`hollow: ${what}: ${ours}, ${floor}`);
  return [toText(ours), floor === undefined ? '' : toText(floor), floor ? (ours / floor).toFixed(2) : ''];
}

/** The goal and whether the first configuration reached it. */
function toGoal({ ours, floor, goal }: Line): string[] {
  if (!goal) return ['', ''];
  const { ratio, at, isLeast = false } = goal;
  const bounds = [
    ...(at === undefined ? [] : [{ shown: `<= ${at}`, isReached: ours <= at }]),
    ...(ratio === undefined || !floor
      ? []
      : [
          {
            shown: `${isLeast ? '>=' : '<='} ${ratio} times`,
            isReached: isLeast ? ours / floor >= ratio : ours / floor <= ratio,
          },
        ]),
  ];
  const isReached = bounds.every((bound) => bound.isReached);
  return [bounds.map(({ shown }) => shown).join(', '), isReached ? 'reached' : 'missed'];
}

function toText(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value.toFixed(value >= 10 ? 1 : 2);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
