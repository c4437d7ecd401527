import { parseArgs } from 'node:util';
import { type Engine, engines, postgresSkipped } from '../support/database.ts';
import { crash } from './crash.ts';
import { diskFull } from './disk-full.ts';
import { fleet } from './fleet.ts';
import { fuzz } from './fuzz.ts';
import { hostile } from './hostile.ts';
import { isolation } from './isolation.ts';
import { model } from './model.ts';
import { modelChange } from './model-change.ts';
import { postgresAway } from './postgres-away.ts';
import type { Proof, Size } from './proof.ts';
import { prune } from './prune.ts';
import { slowInputs } from './slow-inputs.ts';
import { soak } from './soak.ts';
import { timeTravel } from './time-travel.ts';

const proofs: readonly Proof[] = [
  crash,
  model,
  isolation,
  fuzz,
  soak,
  diskFull,
  timeTravel,
  modelChange,
  slowInputs,
  postgresAway,
  hostile,
  prune,
  fleet,
];
const usage = `npm run prove -- [--only NAME[,NAME]] [--engine sqlite|postgres] [--size small|full] [--seed N]
names: ${proofs.map((proof) => proof.name).join(', ')}`;

interface Outcome {
  proof: string;
  engine: Engine;
  outcome: 'holds' | 'FAILS' | 'skipped';
  seconds: number;
  counted: string;
}

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    engine: { type: 'string' },
    size: { type: 'string', default: 'full' },
    seed: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const chosenProofs = values.only
  ? proofs.filter((proof) => values.only?.split(',').includes(proof.name))
  : proofs;
const chosenEngines = values.engine ? engines.filter((engine) => engine === values.engine) : engines;
const size: Size = values.size === 'small' ? 'small' : 'full';
const seed = values.seed === undefined ? Date.now() % 1_000_000_000 : Number(values.seed);

if (values.help || chosenProofs.length === 0 || chosenEngines.length === 0 || !Number.isInteger(seed)) {
  console.log(usage);
  if (values.engine === 'postgres' && postgresSkipped) console.log(postgresSkipped);
  process.exit(values.help ? 0 : 2);
}
if (postgresSkipped && !values.engine) console.log(postgresSkipped);
console.log(`size ${size}, seed ${seed} (repeat with --seed ${seed})`);

// Ends through `exit`, where the servers that were started are killed.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const outcomes: Outcome[] = [];
for (const proof of chosenProofs)
  for (const engine of chosenEngines) outcomes.push(await proveOn(proof, engine));
console.table(outcomes);
process.exit(outcomes.some(({ outcome }) => outcome === 'FAILS') ? 1 : 0);

async function proveOn(proof: Proof, engine: Engine): Promise<Outcome> {
  const start = performance.now();
  const log = (line: string) => console.log(`[${proof.name} ${engine}] ${line}`);
  const end = (outcome: Outcome['outcome'], counted: string): Outcome => {
    const seconds = Math.round((performance.now() - start) / 100) / 10;
    return { proof: proof.name, engine, outcome, seconds, counted };
  };
  log(proof.claim);
  try {
    const result = await proof.run({ engine, size, seed, log });
    if ('skipped' in result) {
      log(`skipped: ${result.skipped}`);
      return end('skipped', result.skipped);
    }
    const counted = Object.entries(result.counted).map(([name, count]) => `${name} ${count}`);
    return end('holds', counted.join(', '));
  } catch (error) {
    const shown = error instanceof Error ? (error.stack ?? error.message) : String(error);
    log(`FAILS with seed ${seed}: ${shown}`);
    return end('FAILS', shown.split('\n')[0]?.slice(0, 100) ?? '');
  }
}
