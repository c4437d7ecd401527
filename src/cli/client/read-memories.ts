import { type Command, InvalidArgumentError, Option } from 'commander';
import { doors, waysOf } from '../../domain/shared/user-ref.ts';
import type { DetailedMemoryRecord } from '../../http/routes/memories/memory-details.ts';
import type { SearchResponseRecord, SearchResultRecord } from '../../http/routes/memories/search-response.ts';
import type { MemoryRecord } from '../../http/schemas/memory.ts';
import { readText } from '../options.ts';
import { readTime, showTime } from '../output/local-time.ts';
import { type Column, print, printJson } from '../output/print.ts';
import { note, style } from '../output/terminal.ts';
import { printable, printableLine } from '../output/text.ts';
import { findMemory, idOfMemory } from './find-memory.ts';
import { type Listed, memoryColumns, printListed, printPage, shortId } from './listing.ts';
import {
  type AskOptions,
  collect,
  type PageOptions,
  pagedCommand,
  Service,
  serviceCommand,
} from './service.ts';

type Explained = NonNullable<SearchResponseRecord['explained']>;

interface SearchOptions extends PageOptions, FilterOptions {
  readonly method?: string;
  readonly asOf?: string;
  readonly explain?: true;
  readonly why?: string;
}

const methods = ['hybrid', 'semantic', 'keyword'] as const;
const hitsDefault = 10;

const score: Column<SearchResultRecord> = {
  heading: 'SCORE',
  valueIn: (hit) => hit.score?.toFixed(2),
  align: 'right',
  format: 'dim',
};

/** `memoryd search QUERY` */
export function searchCommand(): Command {
  return addFilterOptions(pagedCommand('search', hitsDefault))
    .argument('<query...>', 'what to find; - reads standard input')
    .addOption(new Option('--method <method>', 'how to find (default: hybrid)').choices(methods))
    .option('--as-of <time>', 'what was known then: 2026-11-22, "2026-11-22 14:05" or ISO 8601')
    .option('--explain', 'say of each memory why it was found')
    .option('--why <id>', 'say of this memory where it was found, or why it was not')
    .action(async (words: readonly string[], options: SearchOptions) => {
      const { limit, offset, method, asOf, explain, why } = options;
      const service = new Service(options);
      const found = await service.get<SearchResponseRecord>('/api/memories/search', {
        q: await readText(words),
        limit,
        offset,
        searchMethod: method,
        asOfTime: asOf && readTime(asOf, 'end'),
        explain,
        explainId: why && (await idOfMemory(service, why)),
        includeTopics: true,
        ...toFilterQuery(options),
      });
      printHits(found, options);
    });
}

function printHits(found: SearchResponseRecord, options: SearchOptions): void {
  const { data, meta } = found;
  for (const { name, reason } of meta.branchFailures ?? [])
    note(`The ${name} part of the search failed (${reason}): what is shown was found without it.`);
  const [id, ...others] = memoryColumns;
  const columns = id === undefined ? [] : [id, score, ...others];
  const page = {
    columns,
    below: ({ explanation }: SearchResultRecord) => explanation?.matchReason,
    items: data.map((hit) => ({ ...hit, content: hit.preview || hit.content })),
    total: meta.total,
    none: 'No memory matches.',
    body: found,
  };
  printPage(page, options);
  if (found.explained && !options.json) explainedLines(found.explained).forEach(print);
}

/** The reason, then what adds up to the score. */
function explainedLines({ memoryId, reason, missingWords = [], explanation }: Explained): string[] {
  const parts =
    explanation?.parts.map(({ label, value }) => `${value.toFixed(3).padStart(8)}  ${label}`) ?? [];
  const missing =
    missingWords.length > 0 ? [`Words of the query that it has not: ${missingWords.join(', ')}.`] : [];
  return ['', `${style('yellow', shortId(memoryId))}  ${reason}`, ...missing, ...parts].map(printable);
}

interface RecentOptions extends PageOptions, FilterOptions {
  readonly within?: string;
}

const memoriesDefault = 20;

/** `memoryd recent` */
export function recentCommand(): Command {
  return addFilterOptions(pagedCommand('recent', memoriesDefault))
    .option('--within <window>', 'only what was written in the last 30m, 24h, 7d, 2w or 1mo')
    .action(async (options: RecentOptions) => {
      const { limit, offset, within: recent } = options;
      const listed = await new Service(options).get<Listed<MemoryRecord>>('/api/memories', {
        limit,
        offset,
        recent,
        sortBy: 'createdAt',
        order: 'desc',
        ...toFilterQuery(options),
      });
      printListed(listed, { columns: memoryColumns, none: 'There are no such memories.' }, options);
    });
}

/** Values that the metadata of memories must have, by path. */
type MetadataFilter = readonly (readonly [path: string, value: string])[];

export interface FilterOptions {
  readonly topic?: readonly string[];
  readonly metadata?: MetadataFilter;
  readonly conversation?: string;
  readonly entity?: string;
  readonly by?: string;
  readonly via?: string;
  readonly agent?: string;
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
    .option('--conversation <id>', 'only of this conversation')
    .option('--entity <id>', 'only what mentions this entity')
    .option('--by <key id>', 'only what this key wrote')
    .addOption(new Option('--via <door>', 'only what came through this door').choices(doors))
    .option('--agent <program>', 'only what this program wrote, such as claude-code');
}

/** Parameters of a URL. */
export function toFilterQuery({ topic, metadata = [], conversation, entity, by, via, agent }: FilterOptions) {
  const values = new Map<string, string[]>();
  for (const [path, value] of metadata)
    values.set(`metadata.${path}`, [...(values.get(`metadata.${path}`) ?? []), value]);
  return {
    topics: topic?.map((name) => name.replaceAll(',', '\\,')).join(','),
    conversationId: conversation,
    entityId: entity,
    createdBy: by,
    via,
    agent,
    ...Object.fromEntries(values),
  };
}

interface ShowOptions extends AskOptions {
  readonly asOf?: string;
  readonly versions?: true;
}

/** `memoryd show ID|NAME` */
export function showCommand(): Command {
  return serviceCommand('show')
    .argument('<id>', 'of a memory: its beginning is enough; or its name')
    .option('--as-of <time>', 'as it was then: 2026-11-22, "2026-11-22 14:05" or ISO 8601')
    .option('--versions', 'its last 100 versions, the newest first')
    .action(async (reference: string, options: ShowOptions) => {
      const service = new Service(options);
      const { memory } = await findMemory(service, reference);
      if (options.versions) return printVersions(await versionsOf(service, memory.id), options);
      const shown = options.asOf === undefined ? memory : await memoryAsOf(service, memory.id, options.asOf);
      if (options.json) printJson({ data: shown });
      else memoryLines(shown).forEach(print);
    });
}

async function memoryAsOf(service: Service, id: string, time: string): Promise<DetailedMemoryRecord> {
  const query = { asOfTime: readTime(time, 'end'), detail: 'full' };
  return (await service.get<{ data: DetailedMemoryRecord }>(`/api/memories/${id}`, query)).data;
}

type Version = { readonly openedAt: string; readonly closedAt: string | null; readonly memory: MemoryRecord };

const versionsShownMax = 100;
const versionColumns: readonly Column<Version>[] = [
  { heading: 'FROM', valueIn: ({ openedAt }) => showTime(openedAt), format: 'dim' },
  { heading: 'UNTIL', valueIn: ({ closedAt }) => closedAt && showTime(closedAt), format: 'dim' },
  { heading: 'TEXT', valueIn: ({ memory }) => memory.content, isFlexible: true },
];

const versionsOf = (service: Service, id: string) =>
  service.get<Listed<Version>>(`/api/memories/${id}/versions`, { limit: versionsShownMax });

function printVersions(listed: Listed<Version>, options: ShowOptions): void {
  const page = { columns: versionColumns, none: 'There are no versions.' };
  printListed(listed, page, { ...options, limit: versionsShownMax, offset: 0 });
}

const labelWidth = 14;

/** A memory as lines for people: its fields, an empty line, its text. */
function memoryLines(memory: DetailedMemoryRecord): string[] {
  const stated = fieldsOf(memory).filter(([, value]) => value !== undefined && value !== '');
  const fields = stated.map(
    ([label, value]) => `${style('dim', label.padEnd(labelWidth))}${printableLine(String(value))}`,
  );
  return [`${style('yellow', memory.id)}`, ...fields, '', printable(memory.content)];
}

type Field = readonly [label: string, value: string | number | undefined];

function fieldsOf(memory: DetailedMemoryRecord): Field[] {
  const { conversationContext: place, metadata, effectiveState, createdAt, updatedAt, createdBy } = memory;
  return [
    ['name', memory.name],
    ['version', memory.version],
    ['type', memory.memoryType],
    ['state', effectiveState === 'current' ? undefined : effectiveState],
    ['role', memory.role],
    ['topics', memory.topics.join(', ')],
    [
      'conversation',
      place && `${place.title} (${place.position} of ${place.memoryCount}), ${place.conversationId}`,
    ],
    ['happened', showTime(memory.eventTime)],
    ['valid from', showTime(memory.validFrom)],
    ['valid to', showTime(memory.validTo)],
    ['written', showTime(createdAt)],
    ['by', createdBy && `${createdBy.label} (${waysOf(createdBy).join(', ')}), key ${createdBy.keyId}`],
    ['changed', updatedAt === createdAt ? undefined : showTime(updatedAt)],
    ['external id', memory.externalId],
    ['metadata', metadata && JSON.stringify(metadata)],
    ...(memory.facts ?? []).map(
      ({ subject, predicate, object }): Field => ['fact', `${subject} ${predicate} ${object}`],
    ),
    ...(memory.relationships ?? []).map(
      ({ type, direction, targetMemoryId, targetPreview = '' }): Field => [
        direction === 'outgoing' ? type.toLowerCase() : `${type.toLowerCase()} ←`,
        `${targetMemoryId} ${targetPreview}`,
      ],
    ),
  ];
}
