import { type Command, InvalidArgumentError } from 'commander';
import { collect } from '../client/service-options.ts';

/** Values that the metadata of memories must have, by path. */
export type MetadataFilter = readonly (readonly [path: string, value: string])[];

export interface FilterOptions {
  readonly topic?: readonly string[];
  readonly metadata?: MetadataFilter;
  readonly conversation?: string;
}

function readFilter(text: string, before: MetadataFilter = []): MetadataFilter {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It must be KEY=VALUE.');
  return [...before, [text.slice(0, at), text.slice(at + 1)]];
}

/** Adds the options that `FilterOptions` are read from. */
export function addFilterOptions(command: Command): Command {
  return command
    .option('--topic <name>', 'only with this topic, or one of several', collect)
    .option('--metadata <key=value>', 'only with this value; all of several must match', readFilter)
    .option('--conversation <id>', 'only of this conversation');
}

/** Parameters of a URL. */
export function toFilterQuery({ topic, metadata = [], conversation }: FilterOptions) {
  const values = new Map<string, string[]>();
  for (const [path, value] of metadata)
    values.set(`metadata.${path}`, [...(values.get(`metadata.${path}`) ?? []), value]);
  return {
    topics: topic?.map((name) => name.replaceAll(',', '\\,')).join(','),
    conversationId: conversation,
    ...Object.fromEntries(values),
  };
}
