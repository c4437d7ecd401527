import { Counter, Gauge, type Registry } from 'prom-client';
import type { StepStatus, WorkStore } from '../../domain/jobs/work-store.ts';

/** Counts of waiting, parked and finished jobs by step. */
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
        // No counts if the store is unreachable; `memoryd_store_up` is then 0.
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
