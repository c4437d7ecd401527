import type { CommandNode, OptionNode } from './command-tree.ts';

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
${nodes.flatMap(valueCases).join('\n')}
  esac
  case "$path" in
${nodes.map(commandCase).join('\n')}
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
function valueCases({ path, options }: CommandNode): string[] {
  return options
    .filter(({ takesValue }) => takesValue)
    .map((option) => {
      const places = option.names.map((name) => `'${path} ${name}'`).join(' | ');
      return `    ${places}) ${valuesOf(option)}return ;;`;
    });
}

function valuesOf({ choices, isFile }: OptionNode): string {
  if (choices.length > 0) return `COMPREPLY=($(compgen -W '${choices.join(' ')}' -- "$current")); `;
  return isFile ? 'COMPREPLY=($(compgen -f -- "$current")); ' : '';
}

function commandCase({ path, commands, options, argument }: CommandNode): string {
  const words = [
    ...commands.map(({ name }) => name),
    ...argument.choices,
    ...options.flatMap(({ names }) => names.filter((name) => name.startsWith('--'))),
  ];
  return `    '${path}') words='${words.join(' ')}'${argument.isFile ? ' files=1' : ''} ;;`;
}
