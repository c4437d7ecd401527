import { Argument, Command } from 'commander';
import type { Print } from '../output/print-list.ts';
import { bashCompletion } from './bash.ts';
import { commandTree } from './command-tree.ts';
import { fishCompletion } from './fish.ts';
import { zshCompletion } from './zsh.ts';

const shells = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;
type Shell = keyof typeof shells;

/**
 * `memoryd completion bash|zsh|fish`
 * @param loadAll gives `memoryd` with every command loaded
 */
export function completionCommand(print: Print, loadAll: () => Promise<Command>): Command {
  return new Command('completion')
    .addArgument(new Argument('<shell>', 'see docs/cli.md').choices(Object.keys(shells)))
    .action(async (shell: Shell) => {
      const script = shells[shell](commandTree(await loadAll()));
      print(script.trimEnd());
    });
}
