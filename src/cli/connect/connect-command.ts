import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Argument, Command } from 'commander';
import { currentPlace, type Place } from '../../config/data-folder.ts';
import { hideSecrets } from '../../lib/hide-secrets.ts';
import { addServiceOptions } from '../client/service.ts';
import { findSetup } from '../init.ts';
import { print } from '../output/print.ts';
import { note } from '../output/terminal.ts';
import { type Client, type ClientFile, clientsIn, xdgFolder } from './clients.ts';
import { NotEditable } from './edit.ts';
import { KeptStore, readEditable, untouchedBefore, writeConnected, writeDisconnected } from './files.ts';

interface Options {
  readonly url?: string;
  readonly key?: string;
  readonly yes?: boolean;
}

/** A file that changes: the new text, undefined to remove it, and how to write it. */
interface Change {
  readonly path: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
  write(): void;
}

const names = [
  'claude-code',
  'codex',
  'cursor',
  'opencode',
  'vscode',
  'openclaw',
  'hermes',
  'claude-desktop',
  'all',
] as const;

/** Not the data folder: that is another one for a clone and for a package. */
function keptStore(place: Place): KeptStore {
  return new KeptStore(join(xdgFolder(place, 'XDG_STATE_HOME', '.local/state'), 'memoryd'));
}

function connecting(store: KeptStore, { path, edit }: ClientFile): Change | undefined {
  const bytes = readEditable(path);
  const from = bytes?.toString('utf8');
  const { without, with: to } = edit(from);
  if (from === to) return undefined;
  const kept = store.of(path);
  const untouched = untouchedBefore(bytes, kept);
  // Written by connect and by somebody else since: their part stays, and is there after disconnect.
  const before = untouched ? untouched.before : kept && bytes ? Buffer.from(without) : bytes;
  return { path, from, to, write: () => writeConnected(store, path, to, before) };
}

function disconnecting(store: KeptStore, { path, edit }: ClientFile): Change | undefined {
  const kept = store.of(path);
  if (!kept) return undefined;
  const bytes = readEditable(path);
  const from = bytes?.toString('utf8');
  const untouched = untouchedBefore(bytes, kept);
  const before = untouched ? untouched.before : bytes && Buffer.from(edit(from).without);
  return { path, from, to: before?.toString('utf8'), write: () => writeDisconnected(store, path, before) };
}

/** @returns the clients of these names; with `all`, those that this home has */
function chosen(clients: readonly Client[], given: readonly string[], isThere: (client: Client) => boolean) {
  if (given.includes('all')) return clients.filter(isThere);
  return clients.filter(({ name }) => given.includes(name));
}

/** The changes of the files; a file that cannot be edited is named, and the command fails at its end. */
function changesOf(clients: readonly Client[], changeOf: (file: ClientFile) => Change | undefined): Change[] {
  const changes: Change[] = [];
  for (const { path, edit } of clients.flatMap(({ files }) => files))
    try {
      const change = changeOf({ path, edit });
      if (change) changes.push(change);
    } catch (error) {
      if (!(error instanceof NotEditable)) throw error;
      note(`${path} ${error.message}; it stays as it is.`);
      process.exitCode = 1;
    }
  return changes;
}

function carryOut(changes: readonly Change[], isToWrite: boolean): void {
  for (const { path, from, to } of changes) {
    print(path);
    for (const line of lineChanges(from, to)) print(hideSecrets(line));
  }
  if (changes.length === 0) note('There is nothing to change.');
  else if (isToWrite) for (const change of changes) change.write();
  else note('Nothing was written: --yes writes it.');
}

const linesOf = (text: string | undefined) =>
  text === undefined || text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);

/** The lines in which two texts differ, between the beginning and the end that they share: `-` those that go, `+` those that come. */
function lineChanges(from: string | undefined, to: string | undefined): string[] {
  const [before, after] = [linesOf(from), linesOf(to)];
  const shared = Math.min(before.length, after.length);
  let start = 0;
  while (start < shared && before[start] === after[start]) start++;
  let end = 0;
  while (end < shared - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  return [
    ...before.slice(start, before.length - end).map((line) => `- ${line}`),
    ...after.slice(start, after.length - end).map((line) => `+ ${line}`),
    ...(to === undefined ? ['(the file goes: connect made it)'] : []),
  ];
}

function newCommand(name: string): Command {
  const argument = new Argument('<clients...>', 'which; all: those that this home has').choices(names);
  return new Command(name).addArgument(argument).option('--yes', 'write the lines that are shown');
}

/** `memoryd connect` */
export function connectCommand(): Command {
  return addServiceOptions(newCommand('connect')).action(
    (given: string[], options: Options, command: Command) => {
      const setup = findSetup({ ...options, showsKey: true });
      if (setup.key.inFile.startsWith('<'))
        command.error(
          'error: there is no key yet: `memoryd serve` makes one when it starts for the first time, or give --key',
        );
      const place = currentPlace();
      const store = keptStore(place);
      const clients = chosen(clientsIn(place, setup), given, ({ sign }) => existsSync(sign));
      if (clients.length === 0) note('None of the clients is in this home; name the one to connect.');
      carryOut(
        changesOf(clients, (file) => connecting(store, file)),
        options.yes === true,
      );
    },
  );
}

/** `memoryd disconnect` */
export function disconnectCommand(): Command {
  return newCommand('disconnect').action((given: string[], { yes }: Options) => {
    const place = currentPlace();
    const store = keptStore(place);
    const clients = chosen(clientsIn(place, findSetup({ showsKey: false })), given, () => true);
    carryOut(
      changesOf(clients, (file) => disconnecting(store, file)),
      yes === true,
    );
  });
}
