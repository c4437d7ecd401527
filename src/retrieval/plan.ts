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
import { asksNothingElse } from './time/question-words.ts';
import { namedDates, readTimes, type TimesOfQuery } from './time/time-phrases.ts';

/** Terms beyond this many add cost and no meaning: they are left out, the first ones stay. */
export const queryTermsMax = 64;

/** What a search will do, as plain data: no I/O went into it and every number in it is in range. */
export interface SearchPlan extends MemoryOrder {
  /** The query as typed, without the times that are read in it and without white space around it. */
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
  /** Times that the query speaks of; preferred, and required only where nothing else is asked for. */
  readonly periods: readonly NamedPeriod[];
  /** Whether the query asks for a time and nothing else: "what happened last week". */
  readonly isTimeAlone: boolean;
  /** What is searched where no memory is of these times: their words as words, for texts speak of other times too. */
  readonly otherwise?: SearchPlan;
  /** 0 to 1: the share of its effect that search feedback has. */
  readonly feedbackWeight: number;
  readonly recency: number;
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
 * time asked about, or is to become valid later, is left out unless asked for; looking back sees what is superseded and expired too.
 */
function filterInTime({ filter, temporalMode, includeExpired }: SearchRequest, now: EpochMs): MemoryFilter {
  const asOf = filter.asOf !== undefined && filter.asOf < now ? filter.asOf : undefined;
  const looksBack = temporalMode !== 'current';
  const hidesExpired = !looksBack && !includeExpired && filter.validAt === undefined;
  // A spread that adds a member, or leaves one out, takes eight times as long.
  return Object.assign({}, filter, {
    asOf,
    currentAt: hidesExpired ? (asOf ?? now) : undefined,
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
  if (!filter.includeSuperseded || filter.currentAt !== undefined) return true;
  const { asOf: _, includeSuperseded: __, ...rest } = filter;
  return Object.values(rest).some((value) => value !== undefined);
}

/**
 * @param now what "yesterday" in the query is counted from
 * @throws 422 for ranges that contain nothing
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
  /** What is searched for of the query; undefined for its times alone. */
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
    // A fact is a match or none, and a time is met or not: what is said around it changes neither.
    context: request.context && mode !== 'facts' && !isTimeAlone,
    explain: request.explain,
    includeFacets: request.includeFacets,
  };
}

/** Where facts are searched no time is preferred: its words are words of facts. */
function timesOf({ query = '', mode, readsTimes = true }: SearchRequest, now: EpochMs): TimesOfQuery {
  return readsTimes && mode !== 'facts' ? readTimes(query, now) : { periods: [], rest: query };
}

/** The same search by words alone. */
export function byWords(plan: SearchPlan): SearchPlan {
  return { ...plan, method: byKeyword.method };
}

/** Whether carrying it out may compare vectors of memories, also as `otherwise`. */
export function needsVectors({ method, browse, isTimeAlone, otherwise }: SearchPlan): boolean {
  if (otherwise && needsVectors(otherwise)) return true;
  return method !== 'keyword' && !browse && !isTimeAlone;
}
