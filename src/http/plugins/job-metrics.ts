import { Counter, Gauge, type Registry } from 'prom-client';
import type { StepStatus, WorkStore } from '../../domain/jobs/work-store.ts';

/** What waits, is parked and was done of each step. */
export function jobMetrics(registry: Registry, work: WorkStore): void {
  const registers = [registry];
  const ofSteps = (name: string, help: string, countOf: (status: StepStatus) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['step'],
      registers,
      async collect() {
        this.reset();
        // Of a store that is away nothing is known: `memoryd_store_up` says so.
        const steps = await work.status().catch(() => []);
        for (const status of steps) this.set({ step: status.step }, countOf(status));
      },
    });
  ofSteps(
    'memoryd_jobs_waiting',
    'Versions of memories for which a step is to be done.',
    ({ waiting }) => waiting,
  );
  ofSteps(
    'memoryd_jobs_parked',
    'Those given up after three tries, until they are released.',
    ({ parked }) => parked,
  );
  new Counter({
    name: 'memoryd_jobs_total',
    help: 'Versions for which this process did or tried a step, by how it ended.',
    labelNames: ['step', 'outcome'],
    registers,
    collect() {
      this.reset();
      for (const { step, outcome, items } of work.outcomes) this.inc({ step, outcome }, items);
    },
  });
}
