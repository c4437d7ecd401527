import { Command } from 'commander';
import { wholeNumber } from '../whole-number.ts';
import { readUrl, type ServiceOptions } from './find-service.ts';

/** Options of every command that asks a running service. */
export interface AskOptions extends ServiceOptions {
  readonly json?: true;
}

export interface PageOptions extends AskOptions {
  readonly limit: number;
  readonly offset: number;
}

/**
 * Adds `--url` and `--key`, by which `findService` finds the
 * service. @param urlDefault description of the default URL
 */
export function addServiceOptions(command: Command, urlDefault = 'MEMORYD_URL, else this machine'): Command {
  return command
    .option('--url <url>', `of the service (default: ${urlDefault})`, readUrl)
    .option(
      '--key <key>',
      'API key (default: MEMORYD_KEY, MEMORYD_API_KEY, else the first key of the store)',
    );
}

/** A command with `--url`, `--key` and `--json`. */
export function serviceCommand(name: string): Command {
  const command = addServiceOptions(new Command(name));
  return command.option('--json', 'print what the service answered, as one JSON document');
}

/** A command that also has `--limit` and `--offset`. */
export function pagedCommand(name: string, limitDefault: number): Command {
  return serviceCommand(name)
    .option('--limit <n>', 'how many are shown', wholeNumber(1), limitDefault)
    .option('--offset <n>', 'how many are left out before', wholeNumber(0), 0);
}

/** For options that may be given several times. */
export function collect(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text];
}
