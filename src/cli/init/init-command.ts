import { Command, Option } from 'commander';
import { addServiceOptions } from '../client/service-options.ts';
import type { Print } from '../output/print-list.ts';
import { type Client, clients } from './clients.ts';
import { findSetup, type Setup } from './setup.ts';

interface Options {
  readonly client?: string;
  readonly url?: string;
  readonly key?: string;
}

function describe({ title, place, text }: Client, setup: Setup): string {
  return `# ${title}\n# into ${place}:\n\n${text(setup)}\n`;
}

/** Notes for the person who pastes the texts, written to standard error. */
function notes({ url, key }: Setup, isTerminal: boolean): string[] {
  const lines: string[] = [];
  if (key.source === undefined)
    lines.push(`There is no key yet: \`memoryd serve\` makes one when it starts for the first time.`);
  else if (!isTerminal && key.inFile.startsWith('<'))
    lines.push(`The key is in ${key.source}; it is printed on a terminal, or where --key gives it.`);
  lines.push(`memoryd writes to no file of a client. ${url} is where the service is expected (--url).`);
  return lines;
}

/** `memoryd init` */
export function initCommand(print: Print): Command {
  const names = clients.map(({ name }) => name);
  const only = new Option('--client <name>', 'one of them, its text alone').choices(names);
  return addServiceOptions(new Command('init').addOption(only)).action(
    ({ client: name, url, key }: Options) => {
      const isTerminal = process.stdout.isTTY;
      const setup = findSetup({ url, key, showsKey: isTerminal });
      const [client] = clients.filter((each) => each.name === name);
      if (client) print(client.text(setup));
      else for (const each of clients) print(describe(each, setup));
      for (const line of notes(setup, isTerminal)) process.stderr.write(`${line}\n`);
    },
  );
}
