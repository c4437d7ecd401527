import { Command } from 'commander';
import type { SpaceStatus } from '../../domain/embedding/embed-step.ts';
import type { StepStatus } from '../../domain/jobs/work-store.ts';
import { print, printJson } from '../output/print.ts';
import { withBar } from '../output/progress-bar.ts';
import { withStorage } from './with-storage.ts';

/** `memoryd jobs status|release`, of all users of the store */
export function jobsCommand(): Command {
  const status = new Command('status')
    .description('show what waits for each step, what was given up, and the last error')
    .option('--json', 'print one JSON document')
    .action(({ json }: { json?: true }) =>
      withStorage(async ({ work }) => {
        const steps = await work.status();
        if (json) return printJson({ data: steps });
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

/** `memoryd embeddings status|rebuild` */
export function embeddingsCommand(): Command {
  const status = new Command('status')
    .description('show which models the vectors are of, and what waits to be embedded')
    .option('--json', 'print one JSON document')
    .action(({ json }: { json?: true }) =>
      withStorage(async ({ embedding }) => {
        const spaces = await embedding.spaces();
        if (json) return printJson({ data: spaces });
        if (spaces.length === 0) print('There are no vectors: searches answer by keyword.');
        for (const line of spaces.flatMap(describeSpace)) print(line);
      }),
    );
  const rebuild = new Command('rebuild')
    .description('embed every memory again, beside a running service too; searches go on meanwhile')
    .action(() =>
      withStorage(async (management) => {
        const { rebuildVectors } = await import('../../jobs/run-until-done.ts');
        await withBar('embedding', 'versions', (onProgress) => rebuildVectors(management, onProgress));
        print('All memories have new vectors, and searches use them.');
      }),
    );
  return new Command('embeddings').addCommand(status).addCommand(rebuild);
}

const stateWords = {
  building: 'is being built, searches do not use it yet',
  serving: 'serves',
  dropping: 'is being removed',
} as const;

/** A space as lines for people. */
export function describeSpace(space: SpaceStatus): string[] {
  const { model, dimension, version, state, done, total, waiting, failed, error } = space;
  const lines = [`${model}, ${dimension} dimensions, version ${version}: ${stateWords[state]}`];
  if (total > done) lines.push(`  ${done} of ${total} versions looked at`);
  if (waiting > 0) lines.push(`  ${waiting} versions wait for the model`);
  if (failed > 0) lines.push(`  ${failed} versions were given up after three tries`);
  if (error !== undefined) lines.push(`  last error: ${error}`);
  return lines;
}
