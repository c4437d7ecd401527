import type { CommandNode, OptionNode } from './command-tree.ts';

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
  const named = commands.map(({ name, description }) => `${at} -a ${name} -d ${quote(description)}`);
  const choices = argument.choices.length > 0 ? [`${at} -a ${quote(argument.choices.join(' '))}`] : [];
  const files = argument.isFile ? [`${at} -F`] : [];
  return [...named, ...choices, ...files, ...options.map((option) => `${at} ${optionWords(option)}`)];
}

function optionWords({ names, description, takesValue, choices, isFile }: OptionNode): string {
  const flags = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const values = [
    ...(takesValue ? [isFile ? '-r -F' : '-x'] : []),
    ...(choices.length > 0 ? [`-a ${quote(choices.join(' '))}`] : []),
  ];
  return [...flags, ...values, `-d ${quote(description)}`].join(' ');
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
