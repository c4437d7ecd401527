import { invalidInput } from '../../domain/shared/errors.ts';
import type { EpochMs } from '../../domain/shared/time.ts';
import type { MemoryFilter } from '../../search-index/memory-filter.ts';
import type { AnalyzeQuery, AnalyzeWithOffsets } from '../../search-index/ports.ts';
import {
  expansions,
  type MemoryOrder,
  type SearchMethod,
  type SearchMode,
  type SearchRequest,
  type TemporalMode,
  weightDefaults,
} from '../request.ts';
import { notMeantAsDates } from './times/meant-dates.ts';
import type { NamedPeriod } from './times/named-periods.ts';
import { asksNothingElse } from './times/question-words.ts';
import { namedDates, readTimes, type TimesOfQuery } from './times/time-phrases.ts';
import { type QueryWord, queryWords, unfinishedWord } from './words/query-words.ts';
import { type QuestionForm, questionForm } from './words/question-form.ts';
import { type QuotedPhrase, quotedPhrases } from './words/quoted-phrases.ts';

/** Maximum terms of a query, from the first on: more add cost without improving results. */
export const queryTermsMax = 64;

/** The plan of a search, as plain data: made without I/O, with every number in range. */
export interface SearchPlan extends MemoryOrder {
  /** The query as typed, trimmed and without the times read in it. */
  readonly query: string;
  /** The method in use, which may differ from the requested one. */
  readonly method: SearchMethod;
  readonly mode: SearchMode;
  /** Multipliers of weights by group of a signal; 1 if absent. An absent expansion is not run. */
  readonly factors: Readonly<Partial<Record<string, number>>>;
  /** Whether every memory that passes the filter matches: any similarity reaches a threshold of 0. */
  readonly matchesAll: boolean;
  /** Whether the filter or the phrases exclude visible memories. */
  readonly isNarrowing: boolean;
  /** Minimum similarity of a memory found by its vector. */
  readonly threshold: number;
  /** Distinct terms of the query, in order; empty when browsing or if the query contains no term. */
  readonly terms: readonly string[];
  /** Terms that look like part of a date but do not mean one: dates of memories do not match them. */
  readonly notDates: ReadonlySet<string>;
  /** Words of the query that may contain typos. */
  readonly words: readonly QueryWord[];
  /** The last word, if it may be unfinished. */
  readonly unfinished: string | undefined;
  readonly phrases: readonly QuotedPhrase[];
  readonly browse: boolean;
  /** Times in the query: preferred, and required only if the query asks for nothing else. */
  readonly periods: readonly NamedPeriod[];
  /** Whether the query asks for a time and nothing else: "what happened last week". */
  readonly isTimeAlone: boolean;
  /**
   * The search to run if no memory is of these times: it takes
   * their words as words, because texts name other times too.
   */
  readonly otherwise?: SearchPlan;
  /** Strength of search feedback, 0 to 1. */
  readonly feedbackWeight: number;
  readonly recency: number;
  /** The form of the question. */
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
  /** Absent without semantic search. */
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
 * The filter with times resolved. A future `asOf` is ignored. Memories that are no longer valid, or
 * not yet, are left out unless requested; searches of the past include superseded and expired ones.
 */
function filterInTime({ filter, temporalMode, includeExpired }: SearchRequest, now: EpochMs): MemoryFilter {
  const asOf = filter.asOf !== undefined && filter.asOf < now ? filter.asOf : undefined;
  const looksBack = temporalMode !== 'current';
  const hidesExpired = !looksBack && !includeExpired && filter.validAt === undefined;
  // A spread with added or removed members takes eight times as long.
  return Object.assign({}, filter, {
    asOf,
    currentAt: hidesExpired ? (asOf ?? now) : undefined,
    includeSuperseded: filter.includeSuperseded || looksBack,
  });
}

interface Method extends Pick<SearchPlan, 'method' | 'factors'> {}

const byKeyword: Method = { method: 'keyword', factors: {} };
const byVectors: Method = { method: 'semantic', factors: {} };

/** Drops a method with weight 0 or without a model. @throws 422 if none is left */
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

/** Adds the requested expansions. They extend unified searches only: other modes search one kind alone. */
function withExpansions(
  factors: SearchPlan['factors'],
  { mode, expand }: SearchRequest,
): SearchPlan['factors'] {
  if (expand === undefined || mode !== 'unified') return factors;
  const weights = expansions.map((name) => [name, (expand[name] ?? 0) / weightDefaults[name]] as const);
  return { ...factors, ...Object.fromEntries(weights.filter(([, weight]) => weight > 0)) };
}

/** Whether visible rows may fail the filter. */
function isNarrowing(filter: MemoryFilter): boolean {
  if (!filter.includeSuperseded || filter.currentAt !== undefined) return true;
  const { asOf: _, includeSuperseded: __, ...rest } = filter;
  return Object.values(rest).some((value) => value !== undefined);
}

/**
 * @param now the reference time of "yesterday" in the query
 * @throws 422 for empty ranges
 */
export function planSearch(request: SearchRequest, analyzer: Analyzer, now: EpochMs): SearchPlan {
  const filter = filterInTime(request, now);
  assertRange(filter.createdFrom, filter.createdTo, 'ingestionTimeFrom and ingestionTimeTo');
  assertRange(filter.eventFrom, filter.eventTo, 'eventTimeFrom and eventTimeTo');
  const { periods, rest } = timesOf(request, now);
  if (periods.length === 0) return planOf(request, analyzer, filter, { periods, searched: rest });
  const isTimeAlone = asksNothingElse(rest);
  const asWords = isTimeAlone ? namedDates(periods) : request.query;
  return {
    ...planOf(request, analyzer, filter, { periods, searched: isTimeAlone ? undefined : rest }),
    ...(asWords && { otherwise: planOf(request, analyzer, filter, { periods: [], searched: asWords }) }),
  };
}

interface Searched {
  readonly periods: readonly NamedPeriod[];
  /** The part of the query to search for; undefined for times alone. */
  readonly searched: string | undefined;
}

function planOf(
  request: SearchRequest,
  { analyzeQuery, analyzeWithOffsets, semantic }: Analyzer,
  filter: MemoryFilter,
  { periods, searched: asked }: Searched,
): SearchPlan {
  const { mode } = request;
  const typed = request.query?.trim() ?? '';
  const isTimeAlone = asked === undefined;
  const searched = asked ?? '';
  const phrases = quotedPhrases(searched, analyzeQuery);
  const query = searched.trim();
  const terms = query === '' ? [] : analyzeQuery(query).slice(0, queryTermsMax);
  const { method, factors } = methodOf(request, semantic !== undefined);
  return {
    query,
    method,
    mode,
    factors: withExpansions(factors, request),
    threshold: request.threshold,
    matchesAll: !isTimeAlone && mode !== 'facts' && method !== 'keyword' && request.threshold <= 0,
    isNarrowing: phrases.length > 0 || isNarrowing(filter),
    terms,
    notDates: notMeantAsDates(query, terms),
    words: queryWords(query, analyzeWithOffsets),
    unfinished: unfinishedWord(searched),
    phrases,
    browse: typed === '',
    periods,
    isTimeAlone,
    feedbackWeight: request.feedbackWeight ?? 1,
    recency: request.recency ?? 0,
    form: questionForm(query),
    filter,
    temporalMode: request.temporalMode,
    sortBy: typed === '' && request.sortBy === 'relevance' ? 'createdAt' : request.sortBy,
    order: request.order,
    limit: request.limit,
    offset: request.offset,
    // A fact matches or not, and a time is met or not: neighbours change neither.
    context: request.context && mode !== 'facts' && !isTimeAlone,
    explain: request.explain,
    includeFacets: request.includeFacets,
  };
}

/** A search for facts prefers no time: words of a time are words of facts. */
function timesOf({ query = '', mode, readsTimes = true }: SearchRequest, now: EpochMs): TimesOfQuery {
  return readsTimes && mode !== 'facts' ? readTimes(query, now) : { periods: [], rest: query };
}

/** The plan with words as the only method. */
export function byWords(plan: SearchPlan): SearchPlan {
  return { ...plan, method: byKeyword.method };
}

/** Whether the search, or its `otherwise`, may compare vectors of memories. */
export function needsVectors({ method, browse, isTimeAlone, otherwise }: SearchPlan): boolean {
  if (otherwise && needsVectors(otherwise)) return true;
  return method !== 'keyword' && !browse && !isTimeAlone;
}
