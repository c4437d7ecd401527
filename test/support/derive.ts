import type { Services } from '../../src/container.ts';
import type { Step } from '../../src/domain/jobs/step.ts';
import type { WorkStore } from '../../src/domain/jobs/work-store.ts';
import { groupBy } from '../../src/lib/collections.ts';

/**
 * Does all work of the steps that memories go through (derive, and what follows from it), as the worker would: for services
 * whose jobs are not started. Errors of a step are thrown.
 * @param limit of memories that are done together
 */
export async function deriveAll(
  { steps, work }: Pick<Services, 'steps' | 'work'>,
  limit = 128,
): Promise<void> {
  for (let isDone = false; !isDone; ) {
    isDone = true;
    for (const step of steps) if (await doAll(step, work, limit)) isDone = false;
  }
}

/** @returns whether there was any */
async function doAll(step: Step, work: WorkStore, limit: number): Promise<boolean> {
  let wasAny = false;
  while (await work.backfill(step));
  for (;;) {
    const items = await work.take(step, { limit, leaseMs: 60_000 });
    if (items.length === 0) return wasAny;
    wasAny = true;
    const results = await step.run(items);
    const done = items.map((item, i) => ({ item, result: results[i] }));
    for (const [userId, own] of groupBy(done, ({ item }) => item.userId)) {
      const docs = own.map(({ item }) => item.memory.doc);
      await work.finish([step], userId, docs, (tx, struck) =>
        step.write(
          tx,
          own.filter(({ item }) => struck.has(item.memory.doc)),
        ),
      );
    }
  }
}
