import { AppError, invalidInput } from '../../domain/shared/errors.ts';
import { type EpochMs, parseTime } from '../../domain/shared/time.ts';
import type { TopicReader } from '../../domain/topics/topic-store.ts';
import { type ScopeKey, scopeKeys } from '../../search-index/memory-filter.ts';

/**
 * The items of a comma-separated list without blank ones;
 * undefined if none are left. `\\,` is a comma within an item.
 */
export function splitList(text: string | undefined): string[] | undefined {
  const items = (text ?? '')
    .split(/(?<!\\),/)
    .map((item) => item.replaceAll('\\,', ',').trim())
    .filter((item) => item !== '');
  return items.length > 0 ? items : undefined;
}

export const topicListRule =
  'A topic whose own name has commas is found by its whole name, and in a list with a backslash before each comma.';

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

export interface RangeTexts {
  readonly from?: string;
  readonly to?: string;
}

export interface TimeRange {
  readonly from?: EpochMs;
  readonly to?: EpochMs;
}

/**
 * An inclusive range; an end without a time means the end of that day.
 * @param names of the two parameters, for errors
 * @throws 422 for unreadable times and for an end before the beginning
 */
export function parseRange({ from, to }: RangeTexts, names: readonly [string, string]): TimeRange {
  const range = {
    from: from === undefined ? undefined : parseTime(from, names[0]),
    to: to === undefined ? undefined : parseTime(to, names[1], 'end'),
  };
  return assertedRange(range, names);
}

/** @throws 422 naming both parameters for an end before the beginning */
export function assertedRange(range: TimeRange, [fromName, toName]: readonly [string, string]): TimeRange {
  if (range.from !== undefined && range.to !== undefined && range.from > range.to)
    throw invalidInput(
      `${fromName} and ${toName}`,
      'contradict each other: the first is later than the second',
    );
  return range;
}
