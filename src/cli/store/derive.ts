import { Command } from 'commander';
import { loadConfig } from '../../config/load.ts';
import { createServices } from '../../container.ts';
import { deriveStepKey } from '../../domain/derivation/deriver.ts';
import type { Step } from '../../domain/jobs/step.ts';
import { doWaiting } from '../../jobs/run-until-done.ts';
import { memoryStepKeys } from '../../jobs/steps.ts';
import { print } from '../output/print.ts';
import { withBar } from '../output/progress-bar.ts';
import { openAndWatch } from './with-storage.ts';

/** `memoryd derive [--redo [--user NAME]]` */
export function deriveCommand(): Command {
  return new Command('derive')
    .description(
      'derive entities, facts, topics and relationships from what waits, beside a running service too',
    )
    .option('--redo', 'from every memory again')
    .option('--user <name>', 'with --redo: from the memories of this user only')
    .action((options: DeriveOptions) => derive(options));
}

interface DeriveOptions {
  readonly redo?: true;
  readonly user?: string;
}

/** Steps that ask an LLM, which may be unreachable for long, are left to the service. */
const isByRules = ({ name }: Step) => memoryStepKeys.some((key) => key.name === name);

async function derive({ redo, user }: DeriveOptions): Promise<void> {
  if (user !== undefined && !redo)
    throw new Error('--user says whose memories --redo derives again: give both.');
  const config = loadConfig();
  if (!config.derive) throw new Error('Nothing is derived while MEMORYD_DERIVE is false.');
  const storage = await openAndWatch(config, { exclusive: false });
  const { failures, work, vectorSpaces: spaces } = storage;
  const services = createServices(config, storage);
  try {
    if (redo) await work.redo(deriveStepKey, user === undefined ? undefined : await services.users.get(user));
    const parked = await withBar('deriving', 'versions', (onProgress) =>
      doWaiting({ steps: services.steps.filter(isByRules), spaces, work, failures }, onProgress),
    );
    print('All memories went through derivation.');
    if (parked > 0) print(`${parked} were given up after three tries: memoryd jobs status`);
  } finally {
    await services.close();
    await storage.close();
  }
}
