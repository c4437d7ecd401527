import { EmbeddingError, type EmbeddingFailure } from '../../domain/embedding/embedder.ts';
import type { BranchFailure } from '../request.ts';
import { type Arm, type ArmContext, ArmFailure } from './arm.ts';
import type { Signal } from './signal.ts';

type ArmInput = Omit<ArmContext, 'wait' | 'noteFailure'>;

export interface ArmsRun {
  /** In the order of the arms. */
  readonly signals: readonly Signal[];
  readonly failures: readonly BranchFailure[];
}

/** Runs arms concurrently. Failed arms are reported, and the others count; an internal error is thrown. */
export async function runArms(arms: readonly Arm[], context: ArmInput): Promise<ArmsRun> {
  // Arms that wait for others start first, before local work occupies this thread.
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

/** @throws an internal error as it is */
function failureOf(name: string, error: unknown): BranchFailure {
  const reason = reasonOf(error);
  if (reason === undefined) throw error;
  return { name, status: reason === 'timeout' ? 'timeout' : 'error', reason };
}

/** Undefined for an internal error. */
function reasonOf(error: unknown): EmbeddingFailure | undefined {
  if (error instanceof ArmFailure) return error.reason;
  return error instanceof EmbeddingError ? error.failure : undefined;
}

/** @throws ArmFailure if `work` takes longer than `ms` */
async function within<T>({ name }: Arm, work: Promise<T>, ms: number | undefined): Promise<T> {
  if (ms === undefined) return work;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const fail = () => reject(new ArmFailure('timeout', `nothing came for the arm ${name} within ${ms} ms`));
    // Results that arrived while this thread was busy are taken first.
    timer = setTimeout(() => setImmediate(fail), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
