import { newDatabase } from '../support/database.ts';
import { patientClient } from '../support/http-client.ts';
import { type Random, randomFrom } from '../support/random.ts';
import { startServer } from '../support/server.ts';
import { checkEverything } from './model-checks.ts';
import { operations } from './model-operations.ts';
import { World } from './model-world.ts';
import type { Proof, ProofContext, ProofResult } from './proof.ts';

const sizes = {
  small: { histories: 1, steps: 250, wholeEvery: 25, replaysMax: 0 },
  full: { histories: 10, steps: 1_500, wholeEvery: 50, replaysMax: 80 },
};

/** How often each kind of step is taken, against the others. */
const weights: Readonly<Record<string, number>> = {
  create: 30,
  update: 14,
  rename: 5,
  delete: 8,
  deleteVersion: 4,
  deleteEdge: 1,
  putNamed: 10,
  staleHead: 3,
  history: 4,
  list: 8,
  batch: 4,
  bulkTag: 3,
  bulkUpdate: 3,
  bulkDelete: 2,
  createConversation: 3,
  deleteConversation: 2,
  topics: 3,
  restart: 1,
};

/** One step of a history; it chooses from what the model holds, with a seed of its own. */
interface Planned {
  kind: string;
  seed: number;
}

/** Random operations against a model held in a Map. */
export const model: Proof = {
  name: 'model',
  claim: 'a random sequence of operations agrees with a model held in a Map, restarts included',
  run: proveModel,
};

async function proveModel(context: ProofContext): Promise<ProofResult> {
  const size = sizes[context.size];
  const random = randomFrom(context.seed);
  for (let history = 1; history <= size.histories; history += 1) {
    const plan = planSteps(random, size.steps);
    const failure = await runHistory(context, plan, size.wholeEvery);
    if (failure) throw await describeFailure(context, plan.slice(0, failure.step + 1), failure.error);
    context.log(`${history} of ${size.histories} histories of ${size.steps} steps agree`);
  }
  return { counted: { histories: size.histories, steps: size.histories * size.steps } };
}

function planSteps(random: Random, count: number): Planned[] {
  const kinds = Object.entries(weights).flatMap(([kind, weight]) => Array<string>(weight).fill(kind));
  return Array.from({ length: count }, () => ({ kind: random.pick(kinds), seed: random.int(0, 2 ** 31) }));
}

/** Runs a history on an empty store; the step at which the service and the model first differ. */
async function runHistory(
  context: ProofContext,
  plan: readonly Planned[],
  wholeEvery: number,
): Promise<{ step: number; error: Error } | undefined> {
  const database = await newDatabase(context.engine);
  const world = new World();
  // The Map derives nothing: topics and edges found in texts would be differences.
  const start = () => startServer({ databaseUrl: database.url, env: { MEMORYD_DERIVE: 'false' } });
  let server = await start();
  const restart = async (way: 'stop' | 'kill') => {
    await server[way]();
    server = await start();
  };
  try {
    for (const [step, { kind, seed }] of plan.entries()) {
      try {
        const http = patientClient(server.url, server.key);
        await operations[kind]?.({ http, world, random: randomFrom(seed), restart });
        const last = step === plan.length - 1;
        if (last || (step + 1) % wholeEvery === 0)
          await checkEverything(patientClient(server.url, server.key), world);
      } catch (error) {
        return { step, error: error as Error };
      }
    }
    return undefined;
  } finally {
    await server.kill();
    await database.drop();
  }
}

/** Leaves out steps as long as the rest still fails, then says what is left. */
async function describeFailure(
  context: ProofContext,
  failing: readonly Planned[],
  error: Error,
): Promise<Error> {
  context.log(`differs at step ${failing.length}: ${error.message}`);
  let shortest = [...failing];
  let lastError = error;
  let replays = sizes[context.size].replaysMax;
  for (let piece = Math.ceil(shortest.length / 2); piece >= 1 && replays > 0; piece = Math.floor(piece / 2)) {
    for (let start = 0; start < shortest.length && replays > 0; ) {
      const shorter = shortest.toSpliced(start, piece);
      replays -= 1;
      const failure = shorter.length > 0 ? await runHistory(context, shorter, shorter.length) : undefined;
      if (failure) {
        shortest = shorter.slice(0, failure.step + 1);
        lastError = failure.error;
        context.log(`still fails with ${shortest.length} steps`);
      } else start += piece;
    }
  }
  const steps = shortest.map(({ kind, seed }) => `${kind}(${seed})`).join(' ');
  const said = `seed ${context.seed}, ${context.engine}, shortest history of ${shortest.length} steps: ${steps}`;
  return new Error(`${lastError.message}\n${said}\nfirst failure: ${error.message}`, { cause: lastError });
}
