import { Argument, Command, type Option } from 'commander';
import { print } from './output/print.ts';

const shells = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;
type Shell = keyof typeof shells;

/**
 * `memoryd completion bash|zsh|fish`
 * @param loadAll gives `memoryd` with every command loaded
 */
export function completionCommand(loadAll: () => Promise<Command>): Command {
  return new Command('completion')
    .addArgument(new Argument('<shell>', 'see docs/cli.md').choices(Object.keys(shells)))
    .action(async (shell: Shell) => {
      const script = shells[shell](commandTree(await loadAll()));
      print(script.trimEnd());
    });
}

/** The words that complete a position of a command line. */
interface Values {
  readonly choices: readonly string[];
  readonly isFile: boolean;
}

interface OptionNode extends Values {
  /** `--limit`, `-V`. */
  readonly names: readonly string[];
  readonly description: string;
  readonly takesValue: boolean;
}

/** A command as shells complete it. */
interface CommandNode {
  /** `/keys/create`; empty for `memoryd` itself. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly OptionNode[];
  readonly argument: Values;
}

const fileNames: ReadonlySet<string> = new Set(['file', 'id-or-file', 'path']);

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

/** A function for bash, without calls of memoryd: completing takes no time. */
export function bashCompletion(nodes: readonly CommandNode[]): string {
  const paths = nodes.map(({ path }) => path).filter((path) => path !== '');
  return `# Completion of memoryd for bash. In ~/.bashrc: eval "$(memoryd completion bash)"
_memoryd() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" path='' words='' files='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path/\${COMP_WORDS[i]}" in
      ${paths.join(' | ')}) path="$path/\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$path $previous" in
${nodes.flatMap(bashValueCases).join('\n')}
  esac
  case "$path" in
${nodes.map(bashCommandCase).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ -n $files && $current != -* ]]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY+=($(compgen -f -- "$current"))
  fi
}
complete -F _memoryd memoryd
`;
}

/** After an option that takes a value. */
function bashValueCases({ path, options }: CommandNode): string[] {
  return options
    .filter(({ takesValue }) => takesValue)
    .map((option) => {
      const places = option.names.map((name) => `'${path} ${name}'`).join(' | ');
      return `    ${places}) ${bashValues(option)}return ;;`;
    });
}

function bashValues({ choices, isFile }: OptionNode): string {
  if (choices.length > 0) return `COMPREPLY=($(compgen -W '${choices.join(' ')}' -- "$current")); `;
  return isFile ? 'COMPREPLY=($(compgen -f -- "$current")); ' : '';
}

function bashCommandCase({ path, commands, options, argument }: CommandNode): string {
  const words = [
    ...commands.map(({ name }) => name),
    ...argument.choices,
    ...options.flatMap(({ names }) => names.filter((name) => name.startsWith('--'))),
  ];
  return `    '${path}') words='${words.join(' ')}'${argument.isFile ? ' files=1' : ''} ;;`;
}

/** A completion function for zsh, to be evaluated or to be put into a folder of fpath as `_memoryd`. */
export function zshCompletion(nodes: readonly CommandNode[]): string {
  const paths = nodes.map(({ path }) => path).filter((path) => path !== '');
  return `#compdef memoryd
# Completion of memoryd for zsh. In ~/.zshrc, after compinit: eval "$(memoryd completion zsh)"
_memoryd() {
  local place='' word files=''
  local -a commands options
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$place/$word" in
      (${paths.join('|')}) place="$place/$word" ;;
    esac
  done
  case "$place \${words[CURRENT-1]}" in
${nodes.flatMap(zshValueCases).join('\n')}
  esac
  case "$place" in
${nodes.map(zshCommandCase).join('\n')}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then
    _describe -o 'option' options
  else
    (( \${#commands} )) && _describe 'command' commands
    [[ -n $files ]] && _files
  fi
}
if [[ \${funcstack[1]} == _memoryd ]]; then
  _memoryd "$@"
else
  compdef _memoryd memoryd
fi
`;
}

/** After an option that takes a value. */
function zshValueCases({ path, options }: CommandNode): string[] {
  return options
    .filter(({ takesValue }) => takesValue)
    .map((option) => {
      const places = option.names.map((name) => `'${path} ${name}'`).join('|');
      return `    (${places}) ${zshValues(option)}return ;;`;
    });
}

function zshValues({ choices, isFile }: OptionNode): string {
  if (choices.length > 0) return `compadd -- ${choices.join(' ')}; `;
  return isFile ? '_files; ' : '';
}

function zshCommandCase({ path, commands, options, argument }: CommandNode): string {
  const named = [
    ...commands.map(({ name, description }) => zshQuote(`${name}:${description}`)),
    ...argument.choices.map(zshQuote),
  ];
  const optional = options.flatMap(({ names, description }) =>
    names.filter((name) => name.startsWith('--')).map((name) => zshQuote(`${name}:${description}`)),
  );
  const files = argument.isFile ? '; files=1' : '';
  return `    ('${path}') commands=(${named.join(' ')}); options=(${optional.join(' ')})${files} ;;`;
}

function zshQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Completions for fish. */
export function fishCompletion(nodes: readonly CommandNode[]): string {
  const paths = nodes.map(({ path }) => path).filter((path) => path !== '');
  return `# Completion of memoryd for fish: memoryd completion fish > ~/.config/fish/completions/memoryd.fish
function __memoryd_at
    set -l place ''
    for word in (commandline -opc)[2..]
        if contains -- "$place/$word" ${paths.join(' ')}
            set place "$place/$word"
        end
    end
    test "$place" = "$argv[1]"
end
complete -c memoryd -f
${nodes.flatMap(nodeLines).join('\n')}
`;
}

function nodeLines({ path, commands, options, argument }: CommandNode): string[] {
  const at = `complete -c memoryd -n '__memoryd_at "${path}"'`;
  const named = commands.map(({ name, description }) => `${at} -a ${name} -d ${fishQuote(description)}`);
  const choices = argument.choices.length > 0 ? [`${at} -a ${fishQuote(argument.choices.join(' '))}`] : [];
  const files = argument.isFile ? [`${at} -F`] : [];
  return [...named, ...choices, ...files, ...options.map((option) => `${at} ${optionWords(option)}`)];
}

function optionWords({ names, description, takesValue, choices, isFile }: OptionNode): string {
  const flags = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const values = [
    ...(takesValue ? [isFile ? '-r -F' : '-x'] : []),
    ...(choices.length > 0 ? [`-a ${fishQuote(choices.join(' '))}`] : []),
  ];
  return [...flags, ...values, `-d ${fishQuote(description)}`].join(' ');
}

function fishQuote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
