import { invalidInput } from '../domain/shared/errors.ts';
import type { EpochMs } from '../domain/shared/time.ts';
import type { AnalyzeQuery, AnalyzeWithOffsets } from './ports.ts';
import {
  expansions,
  type MemoryFilter,
  type MemoryOrder,
  type SearchMethod,
  type SearchMode,
  type SearchRequest,
  type TemporalMode,
  weightDefaults,
} from './request.ts';
import { type QueryWord, queryWords, unfinishedWord } from './terms/query-words.ts';
import { type QuestionForm, questionForm } from './terms/question-form.ts';
import { type QuotedPhrase, quotedPhrases } from './terms/quoted-phrases.ts';
import { notMeantAsDates } from './time/meant-dates.ts';
import type { NamedPeriod } from './time/named-periods.ts';
import { readTimes } from './time/time-phrases.ts';

/** Terms beyond this many add cost and no meaning: they are left out, the first ones stay. */
export const queryTermsMax = 64;

/** What a search will do, as plain data: no I/O went into it and every number in it is in range. */
export interface SearchPlan extends MemoryOrder {
  /** The query as typed, without white space around it. */
  readonly query: string;
  /** The method that can be answered, which is not always the one asked for. */
  readonly method: SearchMethod;
  readonly mode: SearchMode;
  /** By group of a signal what its weights are multiplied by; 1 where it is left out, an expansion is then not asked. */
  readonly factors: Readonly<Partial<Record<string, number>>>;
  /** Whether every memory that passes the filter is a match: any similarity reaches a threshold of 0. */
  readonly matchesAll: boolean;
  /** Whether the filter or the phrases leave out memories that are visible. */
  readonly isNarrowing: boolean;
  /** Similarity that a memory found by its vector must reach. */
  readonly threshold: number;
  /** Different terms of the query, in order; empty when browsing or when nothing in it is a term. */
  readonly terms: readonly string[];
  /** Of these the ones that look like a part of a date and are not meant so: dates of memories do not hold them. */
  readonly notDates: ReadonlySet<string>;
  /** Words of the query that may hold typos. */
  readonly words: readonly QueryWord[];
  /** The last word, where it may still be going on. */
  readonly unfinished: string | undefined;
  readonly phrases: readonly QuotedPhrase[];
  readonly browse: boolean;
  /** Times that the query speaks of; they are preferred, never required. */
  readonly periods: readonly NamedPeriod[];
  /** 0 to 1: the share of its effect that search feedback has. */
  readonly feedbackWeight: number;
  /** What its form says of the answer. */
  readonly form: QuestionForm;
  readonly filter: MemoryFilter;
  readonly temporalMode: TemporalMode;
  readonly limit: number;
  readonly offset: number;
  readonly context: boolean;
  readonly explain: boolean;
  readonly includeFacets: boolean;
}

export interface Analyzer {
  /** Absent where there is no semantic search. */
  readonly semantic?: unknown;
  readonly analyzeQuery: AnalyzeQuery;
  readonly analyzeWithOffsets: AnalyzeWithOffsets;
}

function assertRange(from: number | undefined, to: number | undefined, names: string): void {
  if (from !== undefined && to !== undefined && from > to) {
    throw invalidInput(names, 'contradict each other: the first is later than the second');
  }
}

/**
 * The filter with the times that a search means: a time that has not come is now; what had ceased to be valid by the
 * time asked about is left out unless asked for; looking back sees what is superseded and expired too.
 */
function filterInTime({ filter, temporalMode, includeExpired }: SearchRequest, now: EpochMs): MemoryFilter {
  const asOf = filter.asOf !== undefined && filter.asOf < now ? filter.asOf : undefined;
  const looksBack = temporalMode !== 'current';
  const hidesExpired = !looksBack && !includeExpired && filter.validAt === undefined;
  // A spread that adds a member, or leaves one out, takes eight times as long.
  return Object.assign({}, filter, {
    asOf,
    notExpiredAt: hidesExpired ? (asOf ?? now) : undefined,
    includeSuperseded: filter.includeSuperseded || looksBack,
  });
}

interface Method extends Pick<SearchPlan, 'method' | 'factors'> {}

const byKeyword: Method = { method: 'keyword', factors: {} };
const byVectors: Method = { method: 'semantic', factors: {} };

/** A method whose weight is 0, or that nothing is there for, is left out. @throws 422 where nothing is left */
function methodOf({ method, vectorWeight, fulltextWeight }: SearchRequest, isSemantic: boolean): Method {
  if (method === 'hybrid' && vectorWeight === 0 && fulltextWeight === 0)
    throw invalidInput('vectorWeight and fulltextWeight', 'must not both be 0');
  if (!isSemantic || method === 'keyword') return byKeyword;
  if (method === 'semantic') return byVectors;
  if (vectorWeight === 0) return byKeyword;
  if (fulltextWeight === 0) return byVectors;
  const factors = {
    fulltext: fulltextWeight / weightDefaults.fulltext,
    vector: vectorWeight / weightDefaults.vector,
  };
  return { method, factors };
}

/** With the expansions asked for, which are additions to a search of everything: the other modes search one thing alone. */
function withExpansions(
  factors: SearchPlan['factors'],
  { mode, expand }: SearchRequest,
): SearchPlan['factors'] {
  if (expand === undefined || mode !== 'unified') return factors;
  const weights = expansions.map((name) => [name, (expand[name] ?? 0) / weightDefaults[name]] as const);
  return { ...factors, ...Object.fromEntries(weights.filter(([, weight]) => weight > 0)) };
}

/** Whether rows that are seen may fail the filter. */
function isNarrowing(filter: MemoryFilter): boolean {
  if (!filter.includeSuperseded || filter.notExpiredAt !== undefined) return true;
  const { asOf: _, includeSuperseded: __, ...rest } = filter;
  return Object.values(rest).some((value) => value !== undefined);
}

/**
 * @param now what "yesterday" in the query is counted from
 * @throws 422 for ranges that contain nothing
 */
export function planSearch(
  request: SearchRequest,
  { analyzeQuery, analyzeWithOffsets, semantic }: Analyzer,
  now: EpochMs,
): SearchPlan {
  const filter = filterInTime(request, now);
  assertRange(filter.createdFrom, filter.createdTo, 'ingestionTimeFrom and ingestionTimeTo');
  assertRange(filter.eventFrom, filter.eventTo, 'eventTimeFrom and eventTimeTo');
  const query = request.query?.trim() ?? '';
  const terms = query === '' ? [] : analyzeQuery(query).slice(0, queryTermsMax);
  const phrases = quotedPhrases(query, analyzeQuery);
  const { method, factors } = methodOf(request, semantic !== undefined);
  const { mode } = request;
  return {
    query,
    method,
    mode,
    factors: withExpansions(factors, request),
    threshold: request.threshold,
    matchesAll: mode !== 'facts' && method !== 'keyword' && request.threshold <= 0,
    isNarrowing: phrases.length > 0 || isNarrowing(filter),
    terms,
    notDates: notMeantAsDates(query, terms),
    words: queryWords(query, analyzeWithOffsets),
    unfinished: unfinishedWord(request.query ?? ''),
    phrases,
    browse: query === '',
    periods: mode === 'facts' ? [] : readTimes(query, now).periods,
    feedbackWeight: request.feedbackWeight ?? 1,
    form: questionForm(query),
    filter,
    temporalMode: request.temporalMode,
    sortBy: query === '' && request.sortBy === 'relevance' ? 'createdAt' : request.sortBy,
    order: request.order,
    limit: request.limit,
    offset: request.offset,
    // A fact is a match or none: what is said around it is another one.
    context: request.context && mode !== 'facts',
    explain: request.explain,
    includeFacets: request.includeFacets,
  };
}

/** The same search by words alone. */
export function byWords(plan: SearchPlan): SearchPlan {
  return { ...plan, method: byKeyword.method };
}
