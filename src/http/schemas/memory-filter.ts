import { Type } from 'typebox';
import { roles } from '../../domain/memories/memory.ts';
import {
  checkedMetadata,
  forEachValue,
  type Metadata,
  type MetadataValue,
  metadataFiltersMax,
} from '../../domain/memories/metadata.ts';
import { AppError, invalidInput } from '../../domain/shared/errors.ts';
import { type EpochMs, parseTime, parseWindowStart } from '../../domain/shared/time.ts';
import { agentLengthMax, doors } from '../../domain/shared/user-ref.ts';
import type { TopicReader } from '../../domain/topics/topic.ts';
import { isJsonObject, parseJson } from '../../lib/json.ts';
import { type MetadataTest, type ScopeKey, scopeKeys } from '../../search-index/memory-filter.ts';
import { component } from './component.ts';
import { longText, oneOf, recordId } from './query.ts';

/**
 * The items of a comma-separated list without blank ones;
 * undefined if none are left. `\\,` is a comma within an item.
 */
function splitList(text: string | undefined): string[] | undefined {
  const items = (text ?? '')
    .split(/(?<!\\),/)
    .map((item) => item.replaceAll('\\,', ',').trim())
    .filter((item) => item !== '');
  return items.length > 0 ? items : undefined;
}

export const topicListRule =
  'A topic whose own name has commas is found by its whole name, and in a list with a backslash before each comma.';

/** Filters by topics in a URL; `topicList` reads each. */
export const topicsQuery = {
  topics: longText(`Comma-separated; memories with any of them. ${topicListRule}`),
  excludeTopics: longText(`Comma-separated; memories with none of them. ${topicListRule}`),
} as const;

/** Filters of lists and searches by what memories mention and by who wrote them. */
export const whoAndWhatFields = {
  entityId: Type.Optional(
    recordId('Memories that mention this entity, under any of its names or those merged into it.'),
  ),
  role: Type.Optional(oneOf(roles, component('MemoryRole'))),
  createdBy: Type.Optional(recordId('Memories of which this key wrote the version at hand.')),
  via: Type.Optional(oneOf(doors, { description: 'Memories whose version at hand came through this door.' })),
  agent: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: agentLengthMax,
      description: 'Memories whose version at hand this program wrote, as its `User-Agent` begins.',
    }),
  ),
  tool: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: agentLengthMax,
      description: 'Memories whose version at hand this MCP tool wrote.',
    }),
  ),
} as const;

/** The topics in a URL parameter: the topic named like the whole text, else the items of the list. */
export async function topicList(
  topics: Pick<TopicReader, 'find'>,
  text: string | undefined,
): Promise<string[] | undefined> {
  const whole = text?.trim() ?? '';
  if (whole.includes(',') && (await topics.find(whole))) return [whole];
  return splitList(text);
}

function isScopeKey(key: string): key is ScopeKey {
  return (scopeKeys as readonly string[]).includes(key);
}

/** Reads `product:memoryd,team:core`. @throws 400 for an unknown key, 422 if no pair is readable */
export function parseScope(text: string | undefined): Partial<Record<ScopeKey, string>> | undefined {
  const pairs = splitList(text);
  if (!pairs) return undefined;
  const scope: Partial<Record<ScopeKey, string>> = {};
  for (const pair of pairs) {
    const colon = pair.indexOf(':');
    const key = pair.slice(0, colon).trim();
    const value = pair.slice(colon + 1).trim();
    if (colon < 1 || value === '')
      throw invalidInput('scope', 'must be key:value pairs, separated by commas, such as product:memoryd');
    if (!isScopeKey(key))
      throw new AppError('SCOPE_KEY_UNKNOWN', `scope has a key other than ${scopeKeys.join(', ')}.`);
    scope[key] = value;
  }
  return scope;
}

interface TimeRange {
  readonly from?: EpochMs;
  readonly to?: EpochMs;
}

/**
 * The inclusive range of the two parameters named; an end without a time means the end of that day.
 * @throws 422 for unreadable times and for an end before the beginning
 */
export function parseRange<N extends string>(
  texts: { readonly [name in N]?: string },
  fromName: N,
  toName: N,
): TimeRange {
  const { [fromName]: from, [toName]: to } = texts;
  return assertedRange(
    {
      from: from === undefined ? undefined : parseTime(from, fromName),
      to: to === undefined ? undefined : parseTime(to, toName, 'end'),
    },
    fromName,
    toName,
  );
}

/** Such a range, which begins with the window `recent`, such as 7d, if one is given. @throws 422 */
export function parseRecentRange<N extends string>(
  texts: { readonly [name in N | 'recent']?: string },
  fromName: N,
  toName: N,
  now: EpochMs,
): TimeRange {
  const { recent, [toName]: to } = texts;
  if (recent === undefined) return parseRange<N>(texts, fromName, toName);
  const from = parseWindowStart(recent, 'recent', now);
  return assertedRange(
    { from, to: to === undefined ? undefined : parseTime(to, toName, 'end') },
    'recent',
    toName,
  );
}

/** @throws 422 naming both parameters for an end before the beginning */
function assertedRange(range: TimeRange, fromName: string, toName: string): TimeRange {
  if (range.from !== undefined && range.to !== undefined && range.from > range.to)
    throw invalidInput(
      `${fromName} and ${toName}`,
      'contradict each other: the first is later than the second',
    );
  return range;
}

const prefix = 'metadata.';
const rules =
  'A dot leads into a nested object, a list matches by any of its items, and all of several must match ' +
  `(at most ${metadataFiltersMax}).`;

/** The metadata filter of a URL. `metadata.KEY` may have any key, which a query schema cannot express. */
export const metadataQuery = Type.Optional(
  Type.String({
    maxLength: 20_000,
    description:
      'Memories with these values in their metadata, as a JSON object: `{"team":"core"}`. The same is said by ' +
      `parameters of the form \`metadata.KEY=VALUE\`: \`metadata.team=core\`. ${rules}`,
  }),
);

/** The metadata filter of a body. */
export const metadataField = Type.Optional(
  Type.Unsafe<Metadata>({
    type: 'object',
    additionalProperties: true,
    description: `Memories with these values in their metadata. ${rules}`,
    examples: [{ team: 'core' }],
  }),
);

const jsonNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d{1,3})?$/;

/** The possible values of a text in a URL: itself, and the number or boolean that it reads as. */
function readings(text: string): MetadataValue[] {
  if (text === 'true' || text === 'false') return [text, text === 'true'];
  const number = jsonNumber.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? [text, number] : [text];
}

/** @throws 422 for a value that is no text, number or boolean */
function assertComparable(value: unknown, path: string): void {
  if (typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) return;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidInput(path, 'must be a text, a number, true or false');
  const members = Object.entries(value);
  if (members.length === 0) throw invalidInput(path, 'must name a value');
  for (const [name, item] of members) assertComparable(item, `${path}.${name}`);
}

/** The values requested by an object. @throws 422 for invalid metadata, and for lists and null */
function testsOf(given: Metadata): MetadataTest[] {
  checkedMetadata(given);
  const tests: MetadataTest[] = [];
  for (const [name, value] of Object.entries(given)) assertComparable(value, prefix + name);
  forEachValue(given, (path, value) => tests.push({ path, values: [value] }));
  return tests;
}

function parseObject(text: string): Metadata {
  try {
    const value = parseJson(text);
    if (isJsonObject(value)) return value as Metadata;
  } catch {
    // The error below states the valid texts.
  }
  throw invalidInput('metadata', 'must be a JSON object, such as {"team":"core"}');
}

/** Undefined without a metadata filter. @throws 422 for more than 20 values */
export function bodyMetadataTests(given: Metadata | undefined): readonly MetadataTest[] | undefined {
  return bounded(given === undefined ? [] : testsOf(given));
}

/** The metadata filter of a URL, from `metadata` and each `metadata.KEY`. @throws 422 */
export function queryMetadataTests(
  query: Readonly<Record<string, unknown>>,
): readonly MetadataTest[] | undefined {
  const { metadata } = query;
  const tests = typeof metadata === 'string' ? testsOf(parseObject(metadata)) : [];
  for (const [name, value] of Object.entries(query)) {
    if (!name.startsWith(prefix)) continue;
    if (name === prefix) throw invalidInput(prefix, 'must be followed by the name of a member');
    if (typeof value !== 'string') throw invalidInput(name, 'must be given once');
    tests.push({ path: name.slice(prefix.length), values: readings(value) });
  }
  return bounded(tests);
}

function bounded(tests: readonly MetadataTest[]): readonly MetadataTest[] | undefined {
  if (tests.length > metadataFiltersMax)
    throw invalidInput('metadata', `must ask for at most ${metadataFiltersMax} values`);
  return tests.length === 0 ? undefined : tests;
}
