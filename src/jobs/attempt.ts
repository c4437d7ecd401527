import type { Step, StepItem, StepResult } from '../domain/jobs/step.ts';

/** Items tried alone, one after another, before what the step needs counts as not there. */
const triedAloneMax = 2;

/** Results of the items for which a step had one, and why it had none for the others. */
export interface Attempt {
  readonly done: readonly StepResult<unknown>[];
  readonly failed: readonly { readonly item: StepItem; readonly error: unknown }[];
  /** Whether nothing could be computed for any item, which says nothing of them. */
  readonly isUnavailable: boolean;
}

/**
 * Runs a step for a batch, and for each item alone where the batch fails.
 * @param worked is called with the milliseconds for which the step kept the event loop
 */
export async function attempt(
  step: Step,
  items: readonly StepItem[],
  worked: (ms: number) => void,
): Promise<Attempt> {
  const run = (batch: readonly StepItem[]) => {
    const began = performance.now();
    const running = step.run(batch);
    // What it waits for, such as a server, keeps nobody waiting.
    worked(performance.now() - began);
    return running;
  };
  try {
    const results = await run(items);
    const done = items.map((item, i) => ({ item, result: results[i] }));
    return { done, failed: [], isUnavailable: false };
  } catch (error) {
    const [item] = items;
    return items.length === 1 && !isUnavailable(step, error)
      ? { done: [], failed: [{ item, error }], isUnavailable: false }
      : attemptAlone(step, items, { run, firstError: error });
  }
}

/** Tells an item that cannot be computed from a time when none can. */
async function attemptAlone(
  step: Step,
  items: readonly StepItem[],
  { run, firstError }: { readonly run: Step['run']; readonly firstError: unknown },
): Promise<Attempt> {
  const done: StepResult<unknown>[] = [];
  const failed: { item: StepItem; error: unknown }[] = [];
  for (const item of items) {
    const isReached = done.length > 0 || failed.some(({ error }) => !isUnavailable(step, error));
    if (!isReached && failed.length >= triedAloneMax) {
      failed.push({ item, error: firstError });
      continue;
    }
    try {
      const [result] = await run([item]);
      done.push({ item, result });
    } catch (error) {
      failed.push({ item, error });
    }
  }
  const isNever = done.length === 0 && failed.every(({ error }) => isUnavailable(step, error));
  return { done, failed, isUnavailable: isNever };
}

function isUnavailable(step: Step, error: unknown): boolean {
  return step.isUnavailable?.(error) ?? false;
}
