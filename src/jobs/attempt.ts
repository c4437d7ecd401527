import type { Step, StepItem, StepResult } from '../domain/jobs/step.ts';

/** Items tried alone before the step counts as unavailable. */
const triedAloneMax = 2;

/** Results of a step, and the errors of the items without one. */
export interface Attempt {
  readonly done: readonly StepResult<unknown>[];
  readonly failed: readonly { readonly item: StepItem; readonly error: unknown }[];
  /** True if the step was unavailable for all items, so that the items are not at fault. */
  readonly isUnavailable: boolean;
}

/**
 * Runs a step for a batch; if the batch fails, runs it for each item alone.
 * @param worked called with the milliseconds for which the step blocked the event loop
 */
export async function attempt(
  step: Step,
  items: readonly StepItem[],
  worked: (ms: number) => void,
): Promise<Attempt> {
  const run = (batch: readonly StepItem[]) => {
    const began = performance.now();
    const running = step.run(batch);
    // Waiting, such as for a server, does not block the event loop.
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

/** Distinguishes an item that cannot be computed from an outage in which none can. */
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
