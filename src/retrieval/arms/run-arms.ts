import { EmbeddingError, type EmbeddingFailure } from '../../domain/embedding/embedder.ts';
import type { Signal } from '../fuse/signal.ts';
import type { BranchFailure } from '../request.ts';
import { type Arm, type ArmContext, ArmFailure } from './arm.ts';

type ArmInput = Omit<ArmContext, 'wait' | 'noteFailure'>;

export interface ArmsRun {
  /** In the order of the arms. */
  readonly signals: readonly Signal[];
  readonly failures: readonly BranchFailure[];
}

/** Runs arms at the same time. One that fails is named, and the others answer; a fault of our own is thrown. */
export async function runArms(arms: readonly Arm[], context: ArmInput): Promise<ArmsRun> {
  // What others work out for an arm is asked for before this thread is busy with the arms that need nobody.
  const begun = new Map<Arm, Promise<ArmsRun>>();
  for (const arm of arms) if (arm.waitMs !== undefined) begun.set(arm, runArm(arm, context));
  const runs = await Promise.all(arms.map((arm) => begun.get(arm) ?? runArm(arm, context)));
  return {
    signals: runs.flatMap(({ signals }) => signals),
    failures: runs.flatMap(({ failures }) => failures),
  };
}

async function runArm(arm: Arm, context: ArmInput): Promise<ArmsRun> {
  try {
    const { plan, reader, view, passes, terms, named } = context;
    const failures: BranchFailure[] = [];
    const run = arm.run({
      plan,
      reader,
      view,
      passes,
      terms,
      named,
      wait: (work, ms = arm.waitMs) => within(arm, work, ms),
      noteFailure: (name, error) => failures.push(failureOf(name, error)),
    });
    return { signals: await run, failures };
  } catch (error) {
    return { signals: [], failures: [failureOf(arm.name, error)] };
  }
}

/** @throws a fault of our own as it is */
function failureOf(name: string, error: unknown): BranchFailure {
  const reason = reasonOf(error);
  if (reason === undefined) throw error;
  return { name, status: reason === 'timeout' ? 'timeout' : 'error', reason };
}

/** Undefined for a fault of our own. */
function reasonOf(error: unknown): EmbeddingFailure | undefined {
  if (error instanceof ArmFailure) return error.reason;
  return error instanceof EmbeddingError ? error.failure : undefined;
}

/** @throws ArmFailure where `work` takes longer than `ms` */
async function within<T>({ name }: Arm, work: Promise<T>, ms: number | undefined): Promise<T> {
  if (ms === undefined) return work;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const fail = () => reject(new ArmFailure('timeout', `nothing came for the arm ${name} within ${ms} ms`));
    // What came while this thread was busy with something else is taken first.
    timer = setTimeout(() => setImmediate(fail), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
