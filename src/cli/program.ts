import { Command } from 'commander';
import { version } from '../lib/version.ts';

/** Headings of `memoryd --help`. */
const groups = {
  memories: 'Memories:',
  service: 'The service:',
  store: 'The store:',
  files: 'Files:',
} as const;

interface Entry {
  readonly group: keyof typeof groups;
  /** One line, for `memoryd --help` and the help of the command. */
  readonly description: string;
  /** Imports the command's code; other commands start without it. */
  load(): Promise<Command>;
}

/** Every command by its name, in the order of `memoryd --help`. */
const commands: Readonly<Record<string, Entry>> = {
  add: {
    group: 'memories',
    description: 'store a memory',
    load: async () => (await import('./client/write-memories.ts')).addCommand(),
  },
  search: {
    group: 'memories',
    description: 'find memories by words and meaning',
    load: async () => (await import('./client/read-memories.ts')).searchCommand(),
  },
  recent: {
    group: 'memories',
    description: 'list memories, the last written first',
    load: async () => (await import('./client/read-memories.ts')).recentCommand(),
  },
  show: {
    group: 'memories',
    description: 'show a memory with all that is known of it',
    load: async () => (await import('./client/read-memories.ts')).showCommand(),
  },
  histogram: {
    group: 'memories',
    description: 'count memories over time',
    load: async () => (await import('./client/lists.ts')).histogramCommand(),
  },
  edit: {
    group: 'memories',
    description: 'change the text of a memory, or its topics, metadata, times',
    load: async () => (await import('./client/write-memories.ts')).editCommand(),
  },
  forget: {
    group: 'memories',
    description: 'move memories to the trash',
    load: async () => (await import('./client/trash.ts')).forgetCommand(),
  },
  restore: {
    group: 'memories',
    description:
      'bring back what was deleted, by its id; or the whole store from a backup, while the service is stopped',
    load: async () => (await import('./client/trash.ts')).restoreCommand(),
  },
  trash: {
    group: 'memories',
    description: 'list what was deleted and can be restored',
    load: async () => (await import('./client/trash.ts')).trashCommand(),
  },
  watch: {
    group: 'memories',
    description: 'print what changes as it changes, until it is interrupted',
    load: async () => (await import('./client/watch.ts')).watchCommand(),
  },
  topics: {
    group: 'memories',
    description: 'list topics',
    load: async () => (await import('./client/lists.ts')).topicsCommand(),
  },
  entities: {
    group: 'memories',
    description: 'list people, organizations, projects and the like that memories mention',
    load: async () => (await import('./client/lists.ts')).entitiesCommand(),
  },
  graph: {
    group: 'memories',
    description: 'show what is around a memory, entity, topic or fact',
    load: async () => (await import('./client/graph.ts')).graphCommand(),
  },
  conversations: {
    group: 'memories',
    description: 'list conversations, or the memories of one',
    load: async () => (await import('./client/lists.ts')).conversationsCommand(),
  },
  digest: {
    group: 'memories',
    description: 'tell what is known about something in a page of extracts, each with its source',
    load: async () => (await import('./client/briefing.ts')).digestCommand(),
  },
  context: {
    group: 'memories',
    description: 'gather what to know before work begins',
    load: async () => (await import('./client/briefing.ts')).contextCommand(),
  },
  patterns: {
    group: 'memories',
    description: 'what recurs in memories: list it, look for it, or get instructions made of it',
    load: async () => (await import('./client/patterns.ts')).patternsCommand(),
  },
  review: {
    group: 'memories',
    description: 'relationships that were found and wait for a decision: list, accept, reject, reopen',
    load: async () => (await import('./client/review.ts')).reviewCommand(),
  },
  quality: {
    group: 'memories',
    description: 'show how good the memories are, and which are the worst',
    load: async () => (await import('./client/quality.ts')).qualityCommand(),
  },
  prune: {
    group: 'memories',
    description: 'move the memories of the lowest quality to the trash',
    load: async () => (await import('./client/quality.ts')).pruneCommand(),
  },
  serve: {
    group: 'service',
    description: 'run the service',
    load: async () => (await import('./serve.ts')).serveCommand(),
  },
  init: {
    group: 'service',
    description: 'print what to paste into which client, so that it finds this service; writes nothing',
    load: async () => (await import('./init.ts')).initCommand(),
  },
  connect: {
    group: 'service',
    description: 'write the address, the key and the rules into the files of Claude Code, Codex and others',
    load: async () => (await import('./connect/connect-command.ts')).connectCommand(),
  },
  disconnect: {
    group: 'service',
    description: 'leave the files of clients as they were before connect',
    load: async () => (await import('./connect/connect-command.ts')).disconnectCommand(),
  },
  hook: {
    group: 'service',
    description:
      'add the memories that fit to a prompt, and store a session before it ends: for the hooks of Claude Code and others',
    load: async () => (await import('./connect/hook.ts')).hookCommand(),
  },
  open: {
    group: 'service',
    description:
      'print a link to the explorer, a page to see, correct and undo what agents know; it works once',
    load: async () => (await import('./open.ts')).openCommand(),
  },
  users: {
    group: 'store',
    description: 'the people and agents whose memories are kept',
    load: async () => (await import('./store/users-and-keys.ts')).usersCommand(),
  },
  keys: {
    group: 'store',
    description: 'API keys',
    load: async () => (await import('./store/users-and-keys.ts')).keysCommand(),
  },
  grants: {
    group: 'store',
    description: 'clients that OAuth let in',
    load: async () => (await import('./store/grants.ts')).grantsCommand(),
  },
  check: {
    group: 'store',
    description: 'compare the search index with the records; exit code 1 when something is wrong',
    load: async () => (await import('./store/check.ts')).checkCommand(),
  },
  database: {
    group: 'store',
    description: 'make a store on PostgreSQL whose tables are split by user',
    load: async () => (await import('./store/database.ts')).databaseCommand(),
  },
  embeddings: {
    group: 'store',
    description: 'vectors of memories: progress, and making them again',
    load: async () => (await import('./store/background-work.ts')).embeddingsCommand(),
  },
  derive: {
    group: 'store',
    description:
      'derive entities, facts, topics and relationships: what waits, or with --redo everything again, of one user too',
    load: async () => (await import('./store/derive.ts')).deriveCommand(),
  },
  jobs: {
    group: 'store',
    description: 'work done after memories are written: what waits, what was given up, trying it again',
    load: async () => {
      const { jobsCommand } = await import('./store/background-work.ts');
      const { listJobsCommand, retryJobsCommand } = await import('./client/jobs.ts');
      return jobsCommand().addCommand(listJobsCommand()).addCommand(retryJobsCommand());
    },
  },
  webhooks: {
    group: 'memories',
    description: 'send changes to an address: create, list, test, deliveries, redeliver, delete',
    load: async () => (await import('./webhooks/webhooks.ts')).webhooksCommand(),
  },
  import: {
    group: 'files',
    description:
      'store the memories of a file: JSON Lines through the HTTP API, or an export of a user as it is',
    load: async () => (await import('./import/import-command.ts')).importCommand(),
  },
  imports: {
    group: 'files',
    description: 'list imports, and undo one as a whole',
    load: async () => (await import('./import/imports.ts')).importsCommand(),
  },
  export: {
    group: 'files',
    description:
      'write everything of a user to a file, or the memories as Markdown or JSON Lines, next to a running service; `memoryd import` reads them',
    load: async () => (await import('./export/export-command.ts')).exportCommand(),
  },
  backup: {
    group: 'files',
    description: 'copy the whole store to a file, beside a running service',
    load: async () => (await import('./store/backup.ts')).backupCommand(),
  },
  mcp: {
    group: 'service',
    description:
      'serve an agent by the Model Context Protocol on standard input and output: with a running service, or alone on the store',
    load: async () => (await import('./mcp/mcp-command.ts')).mcpCommand(),
  },
  config: {
    group: 'service',
    description: 'show every setting as it is in force, and whether it was set; secrets masked',
    load: async () => (await import('./config.ts')).configCommand(),
  },
  completion: {
    group: 'service',
    description: 'print a script by which a shell completes the commands and options of memoryd',
    load: async () => (await import('./completion.ts')).completionCommand(program),
  },
};

/**
 * Wrong arguments end a command with a CommanderError, for
 * which `main.ts` has an exit code; commander's own is 1.
 */
function throwOnExit(command: Command): void {
  command.exitOverride();
  command.commands.forEach(throwOnExit);
}

/** Whether these words call the command: `memoryd NAME ...` or `memoryd help NAME`. */
function calledBy(words: readonly string[]): (name: string) => boolean {
  const [first, second] = words.filter((word) => !word.startsWith('-'));
  const called = first === 'help' ? second : first;
  return (name) => name === called;
}

/**
 * The command line `memoryd`. Loads the command that `words` (the arguments) call,
 * and only name and description of the others; without `words` it loads all.
 */
export async function program(words?: readonly string[]): Promise<Command> {
  const isCalled = words ? calledBy(words) : () => true;
  const memoryd = new Command('memoryd')
    .description('a self-hosted memory service for AI agents')
    .version(version)
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .commandsGroup(groups.service)
    .helpCommand(true);
  for (const [name, { description, group, load }] of Object.entries(commands)) {
    const command = isCalled(name) ? await load() : new Command(name);
    memoryd.addCommand(command.description(description).helpGroup(groups[group]));
  }
  throwOnExit(memoryd);
  return memoryd;
}
