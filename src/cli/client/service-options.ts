import { Command, InvalidArgumentError } from 'commander';
import { readUrl, type ServiceOptions } from './find-service.ts';

/** Options of every command that asks a running service. */
export interface AskOptions extends ServiceOptions {
  readonly json?: true;
}

export interface PageOptions extends AskOptions {
  readonly limit: number;
  readonly offset: number;
}

/** A command with `--url`, `--key` and `--json`. */
export function serviceCommand(name: string): Command {
  return new Command(name)
    .option('--url <url>', 'of the service (default: MEMORYD_URL, else this machine)', readUrl)
    .option('--key <key>', 'API key (default: MEMORYD_KEY, MEMORYD_API_KEY, else the first key of the store)')
    .option('--json', 'print what the service answered, as one JSON document');
}

/** A command that also has `--limit` and `--offset`. */
export function pagedCommand(name: string, limitDefault: number): Command {
  return serviceCommand(name)
    .option('--limit <n>', 'how many are shown', wholeFrom(1), limitDefault)
    .option('--offset <n>', 'how many are left out before', wholeFrom(0), 0);
}

/** A parser of whole numbers. */
export function wholeFrom(min: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && Number.isSafeInteger(value)) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min}.`);
  };
}

/** For options that may be given several times. */
export function collect(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text];
}
