import type { EmbeddingProgress } from '../domain/embedding/embed-step.ts';
import type { UserRef } from '../domain/shared/user-ref.ts';
import type { Clock } from '../lib/clock.ts';
import { pauseAfter } from '../lib/loop-time.ts';
import type { RowTest } from '../search-index/columns/row-set.ts';
import type { UserIndex } from '../search-index/rows/user-index.ts';
import type { ShortTexts } from '../search-index/vectors/short-texts.ts';
import type { Arm } from './arms/arm.ts';
import { fact, isFactSignal } from './arms/fact-arm.ts';
import { type ArmsRun, runArms } from './arms/run-arms.ts';
import { semantic } from './arms/semantic-arm.ts';
import type { Signal, SignalSpec } from './arms/signal.ts';
import { withinTimeArm } from './arms/time-arm.ts';
import { type Candidates, candidatesFor, passingRows, type RetrievalDeps } from './candidates.ts';
import { evolutionMatchesMax, evolutionOf } from './evolution.ts';
import { explainOne } from './explained/explain-one.ts';
import { type FoundPassages, findPassages } from './passages/find-passages.ts';
import { type Analyzer, byWords, needsVectors, planSearch, type SearchPlan } from './query/plan.ts';
import { type NamedTimes, namedTimesOf } from './query/times/meant-dates.ts';
import { isOfPeriod, type NamedPeriod } from './query/times/named-periods.ts';
import { expandQuery, type TermExpansion } from './query/words/expand-query.ts';
import type { LiveTerm } from './query/words/live-terms.ts';
import { type MatchedPhrase, matchPhrases } from './query/words/quoted-phrases.ts';
import { type Fused, fuse } from './rank/fuse/fuse.ts';
import type { Weights } from './rank/fuse/weights.ts';
import type { Ranking, SemanticDeps } from './rank/ranking.ts';
import { type Judge, judgeRows } from './rank/relevance.ts';
import { type Ranked, rescore } from './rank/rescorer.ts';
import type { FeedbackPreferences } from './rank/rescorers/feedback.ts';
import type { SearchHit, SearchMethod, SearchOutcome, SearchRequest } from './request.ts';
import { byScore, byTime, firstRows, type RowOrder } from './scores/order.ts';
import { withDerived, withMatchingFacts, withRelationships } from './shape/derived-of-hits.ts';
import { facetsOf } from './shape/facets.ts';
import { type HitsInput, shapeHits } from './shape/hits.ts';
import { pageOfRecords } from './shape/records.ts';

/** Maximum wait for the embedding of the user's recent writes. */
const embeddingWaitMs = 250;

export interface SearchDeps extends RetrievalDeps, Analyzer {
  readonly semantic?: SemanticDeps;
  readonly ranking: Ranking;
  /** A search waits briefly for writes that are not yet embedded. */
  readonly embedding: Pick<EmbeddingProgress, 'waitUntilEmbedded'>;
  /** Compares facts, titles and names of topics by vectors; undefined: by words only. */
  readonly shortTexts?: ShortTexts;
  readonly clock: Clock;
  /** See `SearchOutcome`; 0 by default. */
  readonly relevanceFloor?: number;
  /** Absent: search feedback does not count. */
  readonly feedback?: FeedbackPreferences;
}

/** A whole search: plan, query expansion, arms, fusion, response. */
export async function searchMemories(
  deps: SearchDeps,
  user: UserRef,
  request: SearchRequest,
): Promise<SearchOutcome> {
  const plan = planSearch(request, deps, deps.clock.now());
  const withVectors = needsVectors(plan);
  if (withVectors && !plan.isTimeAlone) await deps.embedding.waitUntilEmbedded(user, embeddingWaitMs);
  const candidates = await candidatesFor(deps, user, plan.filter, { withVectors });
  const asked = plan.browse ? undefined : await askArms(deps, user, plan, candidates);
  const ranked = asked && (await rankAsked(deps, user, asked));
  const fused = ranked?.last;
  const judge = asked && ranked && judgeOf(asked, ranked);
  const rows = judge?.reaching(request.minRelevance ?? 0) ?? fused?.rows ?? passingRows(candidates);
  const ordered = { rows, scores: fused?.scores };
  const { page, total, matches, listed } = await pageOf(deps, user, plan, candidates, ordered);
  const { items: memories, taken, isFull } = await pageOfRecords(deps, user, candidates.index, page);
  const relevance = judge?.of(page);
  await pauseAfter();
  const shaped = {
    plan: asked?.plan ?? plan,
    index: candidates.index,
    asked,
    fused,
    page,
    relevance,
    matches,
    memories,
  };
  const hits = await shapeHits(shaped, deps.analyzeWithOffsets);
  const outcome = {
    hits: await withRequested(deps, user, request, hits, {
      index: candidates.index,
      signals: fused?.signals,
    }),
    total,
    bestRelevance: judge?.best ?? null,
    relevanceFloor: deps.relevanceFloor ?? 0,
    method: asked ? methodOf(asked) : 'keyword',
    branchFailures: asked?.run.failures ?? [],
    ...(isFull && { nextOffset: plan.offset + taken }),
    ...(plan.periods.length > 0 && {
      timeRead: plan.periods,
      hasTimeRead: asked !== undefined && asked.plan.periods.length > 0,
    }),
    ...(request.mode === 'facts' && {
      factsWithoutMemory: fused?.signals.find(isFactSignal)?.withoutMemory ?? [],
    }),
    ...(request.explainId !== undefined && {
      explained: await explainOne(deps, user, request.explainId, {
        ...ordered,
        plan: shaped.plan,
        candidates,
        asked,
        matched: fused?.rows,
        minRelevance: request.minRelevance ?? 0,
        listed,
        page: page.slice(0, taken),
        rankOf: (row) => rankOf(row, ordered.rows, orderOf(plan, candidates.index, ordered)),
        hitOf: (row) => hitOf(deps, user, { ...shaped, judge }, row),
      }),
    }),
    ...(plan.includeFacets && {
      facets: await facetsOf(candidates.index, rows, deps.stores.forUser(user)),
    }),
  };
  // Not after a failure: an arm may still be running.
  candidates.view.arrays.release();
  // The response is built and serialized without a wait.
  await pauseAfter();
  return outcome;
}

/** A row shaped as a hit that explains itself, on the page or not. */
async function hitOf(
  deps: SearchDeps,
  user: UserRef,
  { judge, ...shaped }: HitsInput & { readonly judge: Judge | undefined },
  row: number,
): Promise<SearchHit | undefined> {
  const { items } = await pageOfRecords(deps, user, shaped.index, [row]);
  const alone = { page: [row], relevance: judge?.of([row]), matches: undefined, memories: items };
  const whole = { ...shaped, ...alone, plan: { ...shaped.plan, explain: true } };
  return (await shapeHits(whole, deps.analyzeWithOffsets))[0];
}

async function withRequested(
  { stores, readerFor }: SearchDeps,
  user: UserRef,
  request: SearchRequest,
  hits: readonly SearchHit[],
  { index, signals }: Pick<Candidates, 'index'> & { readonly signals: readonly Signal[] | undefined },
): Promise<readonly SearchHit[]> {
  const readers = stores.forUser(user);
  const marked = await withRelationships(readers.relationships, hits, request.filter.asOf);
  const derived = await withDerived(readers, marked, request);
  if (request.mode !== 'facts' || !signals) return derived;
  return withMatchingFacts(readerFor(user).facts, derived, { signals, index, asOf: request.filter.asOf });
}

/** Undefined for a query of a time only: all memories of that time are right. */
function judgeOf(
  { plan, candidates: { view }, terms, passages }: AskedArms,
  ranked: Ranked,
): Judge | undefined {
  if (plan.isTimeAlone) return undefined;
  const { query, terms: typed } = plan;
  return judgeRows({ view, query, typed, terms, passages, ...ranked }, plan.method);
}

/** Results of the arms for a query, before weighting. */
export interface AskedArms {
  /** The plan in use: by words if a semantic search lacks its vectors. */
  readonly plan: SearchPlan;
  /** Candidates with the quoted phrases. */
  readonly candidates: Candidates;
  /** The query's terms that the user's memories contain. */
  readonly terms: readonly LiveTerm[];
  /** Words of the query that count as other terms. */
  readonly expansions: readonly TermExpansion[];
  readonly phrases: readonly MatchedPhrase[];
  /** Signals of every arm that was run, including failed ones. */
  readonly asked: readonly SignalSpec[];
  readonly run: ArmsRun;
  /** The best passages of long texts. */
  readonly passages: FoundPassages;
}

export async function askArms(
  deps: SearchDeps,
  user: UserRef,
  read: SearchPlan,
  candidates: Candidates,
): Promise<AskedArms> {
  const reader = deps.readerFor(user);
  const named = await namedTimesOf(read.periods, candidates.index, reader.derived);
  const plan = read.otherwise && !hasMemoryOf(read.periods, candidates, named) ? read.otherwise : read;
  const synonyms = deps.semantic?.synonyms;
  const isKnown = (word: string) => (synonyms?.near(word).length ?? 0) > 0;
  const { terms, expansions } = await expandQuery(reader, candidates.view, plan, isKnown);
  const { memories } = deps.stores.forUser(user);
  const { phrases, rows } = await matchPhrases({ phrases: plan.phrases, terms, candidates, memories });
  const passes: RowTest = rows ? (row) => rows.has(row) : candidates.passes;
  const arms = deps.ranking.arms.filter((arm) => isAskedIn(plan, arm));
  const run = (of: typeof arms, by: SearchPlan) => {
    const { view } = candidates;
    const asked = by.method === 'semantic' ? [] : terms;
    return runArms(of, { plan: by, reader, view, passes, terms: asked, named });
  };
  const first = await run(arms, plan);
  const lacksVectors = plan.method === 'semantic' && isWithoutVectors(first);
  const answered = lacksVectors ? byWords(plan) : plan;
  const armsByWords = () =>
    run(
      arms.filter((arm) => isAskedIn(answered, arm)),
      answered,
    );
  const last = lacksVectors ? { signals: (await armsByWords()).signals, failures: first.failures } : first;
  const { view } = candidates;
  const cache = deps.indexes.passages;
  const { signals, passages } = await findPassages({ view, reader, cache, terms, signals: last.signals });
  return {
    plan: answered,
    candidates: { ...candidates, passes },
    terms,
    expansions,
    phrases,
    asked: arms.flatMap(({ signals }) => signals),
    run: { signals, failures: last.failures },
    passages,
  };
}

/** Whether a candidate is of one of the times (of any year if none is named), or names one. */
function hasMemoryOf(
  periods: readonly NamedPeriod[],
  { view, passes }: Candidates,
  named: NamedTimes,
): boolean {
  const isOf = (row: number) =>
    named.periodOf(row) !== undefined ||
    periods.some((period) => isOfPeriod(period, view.index.orderTime(row)));
  for (let row = 0; row < view.size; row++) if (passes(row) && isOf(row)) return true;
  return false;
}

/** A search for facts uses the fact arm only; a query of a time only uses its arm only. */
function isAskedIn(plan: SearchPlan, arm: Arm): boolean {
  if (plan.isTimeAlone) return arm.name === withinTimeArm.name;
  return (plan.mode !== 'facts' || arm.name === fact.name) && arm.isAsked(plan);
}

function isWithoutVectors({ failures }: ArmsRun): boolean {
  return failures.some(({ name }) => name === semantic.name);
}

/** Without vectors the method is `keyword`, although synonyms still count if requested. */
function methodOf({ plan, run }: AskedArms): SearchMethod {
  return isWithoutVectors(run) ? 'keyword' : plan.method;
}

/** Ranks the results of the arms; pure. */
export function fuseAsked({ plan, candidates, asked, run }: AskedArms, weights: Weights): Fused {
  const { view, passes } = candidates;
  return fuse({ plan, view, passes, asked, signals: run.signals, weights });
}

/** The weighted sum of the results of the arms, after the rescorers: by default those of the ranking. */
export async function rankAsked(
  deps: Pick<SearchDeps, 'ranking' | 'readerFor' | 'indexes' | 'stores' | 'feedback'>,
  user: UserRef,
  asked: AskedArms,
  rescorers = deps.ranking.rescorers,
): Promise<Ranked> {
  const { plan, candidates, terms } = asked;
  const { view, passes, index } = candidates;
  const weights = deps.ranking.weights[plan.method];
  const ranked = await rescore(fuseAsked(asked, weights), rescorers, {
    plan,
    view,
    passes,
    terms,
    weights,
    reader: deps.readerFor(user),
    traits: deps.indexes.traits,
    passages: asked.passages,
    memoriesOf: async (rows) => (await pageOfRecords(deps, user, index, rows)).items,
    newerOf: (seqs) => deps.stores.forUser(user).relationships.newerOf(seqs, plan.filter.asOf),
    preferences: async () => deps.feedback?.of(deps.stores.forUser(user).feedback, index, plan.filter.asOf),
  });
  await pauseAfter();
  return ranked;
}

interface RankedRows {
  readonly rows: ArrayLike<number>;
  /** By row; absent without a ranking. */
  readonly scores?: Float64Array;
}

interface RowsOfPage {
  readonly page: readonly number[];
  readonly total: number;
  /** Present if only some rows match. */
  readonly matches?: ReadonlySet<number>;
  /** All versions of which the page is a part; absent if it is a part of the ranked rows. */
  readonly listed?: readonly number[];
}

async function pageOf(
  deps: SearchDeps,
  user: UserRef,
  plan: SearchPlan,
  candidates: Candidates,
  ranked: RankedRows,
): Promise<RowsOfPage> {
  const { index } = candidates;
  const { offset, limit } = plan;
  if (plan.temporalMode !== 'evolution')
    return { page: firstOf(plan, index, ranked, offset + limit).slice(offset), total: ranked.rows.length };
  const matches = firstOf(plan, index, ranked, evolutionMatchesMax);
  const versions = await evolutionOf(deps, user, plan, candidates, matches);
  return {
    page: versions.slice(offset, offset + limit),
    total: versions.length,
    listed: versions,
    matches: new Set(Array.from(ranked.rows)),
  };
}

/** The first `count` matches in the requested order, or all if fewer. */
function firstOf(plan: SearchPlan, index: UserIndex, ranked: RankedRows, count: number): number[] {
  const { rows, scores } = ranked;
  const isBestFirst = plan.sortBy === 'relevance' && plan.order === 'desc';
  const most = Math.min(rows.length, count);
  return firstRows(rows, most, orderOf(plan, index, ranked), isBestFirst ? scores : undefined);
}

function orderOf(plan: SearchPlan, index: UserIndex, { scores }: RankedRows): RowOrder {
  if (plan.sortBy !== 'relevance' || !scores) return byTime(index, plan);
  const best = byScore(index, scores);
  return plan.order === 'desc' ? best : (a, b) => best(b, a);
}

/** Place, from 1, of one of the rows in their order. */
function rankOf(row: number, rows: ArrayLike<number>, order: RowOrder): number {
  let rank = 1;
  for (let i = 0; i < rows.length; i++) if (order(rows[i], row) < 0) rank++;
  return rank;
}
