import { readerOf, readers } from './readers/index.ts';
import type { Input } from './readers/reader.ts';
import type { Source } from './run-import.ts';

/**
 * The inputs with the readers of their formats. Single files of one format, one after the other, are one input, such as the
 * parts of one export.
 * @param as the format of all; undefined: known by their content
 * @throws Error in one sentence for an input of no known format
 */
export async function sourcesOf(inputs: readonly Input[], as: string | undefined): Promise<Source[]> {
  const sources: Source[] = [];
  for (const input of inputs) {
    const reader = input.files.length === 0 ? undefined : await readerOf(input, as);
    if (reader === undefined) throw new Error(unknownShape(input));
    const last = sources.at(-1);
    if (last?.reader === reader && isFile(input) && last.input.files.every(isLoose))
      sources[sources.length - 1] = { reader, input: joined(last.input, input) };
    else sources.push({ input, reader });
  }
  return sources;
}

/** Names and formats, for output as JSON. */
export const filesOf = (sources: readonly Source[]) =>
  sources.map(({ input: { name }, reader: { format, title } }) => ({ name, format, title }));

/** Files that were named one by one have no folder in their path. */
const isLoose = ({ path }: { readonly path: string }) => !path.includes('/');
const isFile = ({ files }: Input) => files.length === 1 && files.every(isLoose);

function joined(first: Input, next: Input): Input {
  return { name: `${first.name}, ${next.name}`, files: [...first.files, ...next.files] };
}

function unknownShape({ name, files }: Input): string {
  if (files.length === 0) return `${name} has no files.`;
  const known = readers.map(({ title }) => title).join(', ');
  return `${name} is of no format that memoryd knows, which are: ${known}, and files of \`memoryd export\`.`;
}
