import type { Argument, Command, Option } from 'commander';

/** The words that complete a position of a command line. */
export interface Values {
  readonly choices: readonly string[];
  readonly isFile: boolean;
}

export interface OptionNode extends Values {
  /** `--limit`, `-V`. */
  readonly names: readonly string[];
  readonly description: string;
  readonly takesValue: boolean;
}

/** A command as shells complete it. */
export interface CommandNode {
  /** `/keys/create`; empty for `memoryd` itself. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly OptionNode[];
  readonly argument: Values;
}

const fileNames: ReadonlySet<string> = new Set(['file', 'id-or-file', 'state']);

/** This command and all below it. */
export function commandTree(command: Command, path = ''): CommandNode[] {
  const help = command.createHelp();
  const below = command.commands.map((sub) => ({ sub, name: sub.name() }));
  const node: CommandNode = {
    path,
    commands: below.map(({ sub, name }) => ({ name, description: sub.description() })),
    options: help.visibleOptions(command).map(toOption),
    argument: toArgument(command.registeredArguments),
  };
  return [node, ...below.flatMap(({ sub, name }) => commandTree(sub, `${path}/${name}`))];
}

function toOption(option: Option): OptionNode {
  const names = [option.short, option.long].filter((name) => name !== undefined);
  const { description, argChoices: choices = [] } = option;
  const isFile = fileNames.has(option.name());
  return { names, description, takesValue: option.required || option.optional, choices, isFile };
}

function toArgument(declared: readonly Argument[]): Values {
  return {
    choices: declared.flatMap(({ argChoices = [] }) => argChoices),
    isFile: declared.some((argument) => fileNames.has(argument.name())),
  };
}
