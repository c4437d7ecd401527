import { Command } from 'commander';
import type { StepStatus } from '../domain/jobs/work-store.ts';
import { type Print, printJson } from './output/print-list.ts';
import { withStorage } from './with-storage.ts';

/** `memoryd jobs status|release` */
export function jobsCommand(print: Print): Command {
  const status = new Command('status')
    .description('show what waits for each step, what was given up, and the last error')
    .option('--json', 'print one JSON document')
    .action(({ json }: { json?: true }) =>
      withStorage(async ({ work }) => {
        const steps = await work.status();
        if (json) return printJson(print, { data: steps });
        if (steps.length === 0) print('No work waits and none was given up.');
        for (const step of steps) print(describeStep(step));
      }),
    );
  const release = new Command('release')
    .argument('[step]', 'by default all')
    .description('have what was given up after three tries tried again by the service')
    .action((step: string | undefined) =>
      withStorage(async ({ work }) => {
        const released = await work.release(step);
        print(`Released ${released}: a running service takes them up within a second.`);
      }),
    );
  return new Command('jobs').addCommand(status).addCommand(release);
}

function describeStep({ step, waiting, failed, parked, lastError }: StepStatus): string {
  const error = lastError === undefined ? '' : `, last error ${lastError}`;
  return `${step}: ${waiting} waiting (${failed} failed before), ${parked} given up${error}`;
}
