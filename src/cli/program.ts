import { Command } from 'commander';
import { version } from '../lib/version.ts';

const print = (line: string) => void process.stdout.write(`${line}\n`);

interface Entry {
  /** One line, for `memoryd --help` and the command's own. */
  readonly description: string;
  /** Imports what the command needs: others start without it. */
  load(): Promise<Command>;
}

/** Every command by its name, in the order of `memoryd --help`. */
const commands: Readonly<Record<string, Entry>> = {
  serve: {
    description: 'run the service',
    load: async () => (await import('./serve-command.ts')).serveCommand(print),
  },
  init: {
    description: 'print what to paste into which client, so that it finds this service; writes nothing',
    load: async () => (await import('./init/init-command.ts')).initCommand(print),
  },
  users: {
    description: 'the people and agents whose memories are kept',
    load: async () => (await import('./users-command.ts')).usersCommand(print),
  },
  keys: {
    description: 'API keys',
    load: async () => (await import('./keys-command.ts')).keysCommand(print),
  },
  check: {
    description: 'compare the search index with the records; exit code 1 when something is wrong',
    load: async () => (await import('./check-command.ts')).checkCommand(print),
  },
  embeddings: {
    description: 'vectors of memories: progress, and making them again',
    load: async () => (await import('./embeddings-command.ts')).embeddingsCommand(print),
  },
  import: {
    description:
      'store the memories of a file: JSON Lines or the LoCoMo layout through the HTTP API, or an export of a user as it is',
    load: async () => (await import('./import/import-command.ts')).importCommand(print),
  },
  export: {
    description: 'write everything of a user to a file that `memoryd import` reads, beside a running service',
    load: async () => (await import('./export-command.ts')).exportCommand(print),
  },
  backup: {
    description: 'copy the whole store to a file, beside a running service',
    load: async () => (await import('./backup-command.ts')).backupCommand(print),
  },
  restore: {
    description: 'put a backup in the place of the store; the service must be stopped',
    load: async () => (await import('./backup-command.ts')).restoreCommand(print),
  },
  mcp: {
    description:
      'serve an agent by the Model Context Protocol on standard input and output: with a running service, or alone on the store',
    load: async () => (await import('./mcp/mcp-command.ts')).mcpCommand(),
  },
  config: {
    description: 'show every setting as it is in force, secrets masked',
    load: async () => (await import('./config-command.ts')).configCommand(print),
  },
};

/** Whether these words call the command: `memoryd NAME ...` or `memoryd help NAME`. */
function calledBy(words: readonly string[]): (name: string) => boolean {
  const [first, second] = words.filter((word) => !word.startsWith('-'));
  const called = first === 'help' ? second : first;
  return (name) => name === called;
}

/**
 * The command line `memoryd`. Of the command that `words` (what follows `memoryd`) call everything is loaded, of the
 * others name and description; without `words` all are loaded.
 */
export async function program(words?: readonly string[]): Promise<Command> {
  const isCalled = words ? calledBy(words) : () => true;
  const memoryd = new Command('memoryd')
    .description('a self-hosted memory service for AI agents')
    .version(version)
    .configureHelp({ subcommandTerm: (command) => command.name() });
  for (const [name, { description, load }] of Object.entries(commands)) {
    const command = isCalled(name) ? await load() : new Command(name);
    memoryd.addCommand(command.description(description));
  }
  return memoryd;
}
