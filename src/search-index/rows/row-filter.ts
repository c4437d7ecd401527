import { effectiveStates, isOutdated, memoryTypes } from '../../domain/memories/memory.ts';
import { normaliseTopicName } from '../../domain/topics/topic.ts';
import { metadataKey } from '../columns/metadata-column.ts';
import type { RowTest } from '../columns/row-set.ts';
import type { MemoryFilter } from '../memory-filter.ts';
import type { IndexView } from './index-view.ts';
import type { UserIndex } from './user-index.ts';

/** 1 for each state that a search hides by default. */
const hiddenStates = Uint8Array.from(effectiveStates, (state) => (isOutdated(state) ? 1 : 0));

/** Data of rows outside the columns. */
export interface OutsideColumns {
  /** Rows allowed by each filter outside the columns. */
  readonly allowed: readonly ReadonlySet<number>[];
  /** Rows from which a topic of these filters was derived. */
  readonly derived: Readonly<Record<'topics' | 'excludeTopics', ReadonlySet<number>>>;
}

/** The filter as one test on rows of the index. */
export function rowTest(
  view: IndexView,
  filter: MemoryFilter,
  { allowed, derived }: OutsideColumns,
): RowTest {
  const { index } = view;
  const { effectiveState, validFrom, validTo } = index.columns;
  const { includeSuperseded = false, currentAt } = filter;
  const tests: RowTest[] = [
    ...columnTests(index, filter),
    ...timeTests(index, filter),
    ...validityTests(index, filter),
    ...topicTests(index, filter, derived),
    ...metadataTests(index, filter),
  ];
  for (const rows of allowed) tests.push((row) => rows.has(row));
  // Tests of every search are inlined: a call for each took longer than the test.
  return (row) => {
    if (!view.isVisible(row)) return false;
    if (!includeSuperseded && hiddenStates[effectiveState[row]] === 1) return false;
    // Without a stated start or end (NaN, infinity) both comparisons are false.
    if (currentAt !== undefined && (currentAt >= validTo[row] || validFrom[row] > currentAt)) return false;
    for (let i = 0; i < tests.length; i++) if (!tests[i](row)) return false;
    return true;
  };
}

function columnTests(index: UserIndex, filter: MemoryFilter): RowTest[] {
  const { memoryType, effectiveState, conversation } = index.columns;
  const tests: RowTest[] = [];
  if (filter.memoryType !== undefined) {
    const requested = memoryTypes.indexOf(filter.memoryType);
    tests.push((row) => memoryType[row] === requested);
  }
  if (filter.effectiveState !== undefined) {
    const requested = effectiveStates.indexOf(filter.effectiveState);
    tests.push((row) => effectiveState[row] === requested);
  }
  if (filter.conversationId !== undefined) {
    const requested = index.conversations.find(filter.conversationId);
    tests.push((row) => conversation[row] === requested);
  }
  return tests;
}

function timeTests(index: UserIndex, filter: MemoryFilter): RowTest[] {
  const { createdAt } = index.columns;
  const { createdFrom, createdTo, eventFrom, eventTo } = filter;
  const tests: RowTest[] = [];
  if (createdFrom !== undefined) tests.push((row) => createdAt[row] >= createdFrom);
  if (createdTo !== undefined) tests.push((row) => createdAt[row] <= createdTo);
  if (eventFrom !== undefined) tests.push((row) => index.orderTime(row) >= eventFrom);
  if (eventTo !== undefined) tests.push((row) => index.orderTime(row) <= eventTo);
  return tests;
}

/**
 * A memory is valid from `validFrom`, else from its event
 * time, else from its ingestion time; until `validTo`.
 */
function validityTests(index: UserIndex, { validAt }: MemoryFilter): RowTest[] {
  const { validFrom, validTo } = index.columns;
  const tests: RowTest[] = [];
  const startOf = (row: number) => (Number.isNaN(validFrom[row]) ? index.orderTime(row) : validFrom[row]);
  if (validAt !== undefined) tests.push((row) => startOf(row) <= validAt && validAt < validTo[row]);
  return tests;
}

function topicTests(index: UserIndex, filter: MemoryFilter, derived: OutsideColumns['derived']): RowTest[] {
  const numbers = (names: readonly string[]) =>
    new Set(names.map((name) => index.topicKeys.find(normaliseTopicName(name))));
  const tests: RowTest[] = [];
  if (filter.topics !== undefined) {
    const requested = numbers(filter.topics);
    const has = (row: number) => index.topics.hasAny(row, requested);
    tests.push((row) => has(row) || derived.topics.has(row));
  }
  if (filter.excludeTopics !== undefined) {
    const unwanted = numbers(filter.excludeTopics);
    const has = (row: number) => index.topics.hasAny(row, unwanted);
    tests.push((row) => !has(row) && !derived.excludeTopics.has(row));
  }
  return tests;
}

function metadataTests({ metadata: column }: UserIndex, { metadata = [] }: MemoryFilter): RowTest[] {
  return metadata.map(({ path, values }) => {
    const keys = values.map((value) => metadataKey(path, value));
    const [only] = keys;
    if (keys.length === 1) return (row) => column.has(row, only);
    return (row) => keys.some((key) => column.has(row, key));
  });
}
