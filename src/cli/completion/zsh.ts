import type { CommandNode, OptionNode } from './command-tree.ts';

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
${nodes.flatMap(valueCases).join('\n')}
  esac
  case "$place" in
${nodes.map(commandCase).join('\n')}
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
function valueCases({ path, options }: CommandNode): string[] {
  return options
    .filter(({ takesValue }) => takesValue)
    .map((option) => {
      const places = option.names.map((name) => `'${path} ${name}'`).join('|');
      return `    (${places}) ${valuesOf(option)}return ;;`;
    });
}

function valuesOf({ choices, isFile }: OptionNode): string {
  if (choices.length > 0) return `compadd -- ${choices.join(' ')}; `;
  return isFile ? '_files; ' : '';
}

function commandCase({ path, commands, options, argument }: CommandNode): string {
  const named = [
    ...commands.map(({ name, description }) => quote(`${name}:${description}`)),
    ...argument.choices.map(quote),
  ];
  const optional = options.flatMap(({ names, description }) =>
    names.filter((name) => name.startsWith('--')).map((name) => quote(`${name}:${description}`)),
  );
  const files = argument.isFile ? '; files=1' : '';
  return `    ('${path}') commands=(${named.join(' ')}); options=(${optional.join(' ')})${files} ;;`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
