import type { EmbeddingProgress } from '../domain/embedding/embedding-progress.ts';
import type { EmbedderOf } from '../domain/embedding/space-embedder.ts';
import type { Synonyms } from '../domain/embedding/synonyms.ts';
import type { UserRef } from '../domain/shared/user-ref.ts';
import type { Clock } from '../lib/clock.ts';
import { type KeywordMatches, scoreTerms } from './arms/keyword-arm.ts';
import type { BranchFailure } from './branch-failure.ts';
import { type Candidates, candidatesFor, passingRows, type RetrievalDeps } from './candidates.ts';
import { evolutionMatchesMax, evolutionOf } from './evolution.ts';
import { expandQuery } from './expand/expand-query.ts';
import { matchPhrases } from './expand/match-phrases.ts';
import { findByMeaning } from './find-by-meaning.ts';
import { type FoundByMeaning, type Fused, fuse } from './fuse/fuse.ts';
import type { RowTest } from './index/row-filter.ts';
import type { UserIndex } from './index/user-index.ts';
import { type Analyzer, byWords, planSearch, type SearchPlan } from './plan.ts';
import { firstRows, type RowOrder } from './rank/order.ts';
import { byScore, byTime } from './rank/sort-orders.ts';
import { pageOfRecords } from './records.ts';
import type { SearchAnswer, SearchMethod, SearchRequest } from './request.ts';
import { facetsOf } from './shape/facets.ts';
import { shapeHits } from './shape/hits.ts';
import type { QueryVectors } from './vectors/query-vectors.ts';
import type { ShortTexts } from './vectors/short-texts.ts';

/** The longest a search waits for what its user has just written to be embedded. */
const settlingMaxMs = 250;

/** What finds by meaning. */
export interface SemanticDeps {
  readonly embedderOf: EmbedderOf;
  readonly queryVectors: QueryVectors;
  readonly synonyms: Synonyms;
}

export interface SearchDeps extends RetrievalDeps, Analyzer {
  readonly meaning?: SemanticDeps;
  /** What is written and not yet embedded is waited for a little. */
  readonly embedding: Pick<EmbeddingProgress, 'waitUntilEmbedded'>;
  /** What compares facts, titles and names of topics by meaning; absent: by words alone. */
  readonly shortTexts?: ShortTexts;
  readonly clock: Clock;
}

/** The whole way of a search: plan, what its words are read as, arms, fuse, shape. */
export async function searchMemories(
  deps: SearchDeps,
  user: UserRef,
  request: SearchRequest,
): Promise<SearchAnswer> {
  const plan = planSearch(request, deps, deps.clock.now());
  if (plan.method !== 'keyword' && !plan.browse) await deps.embedding.waitUntilEmbedded(user, settlingMaxMs);
  const candidates = await candidatesFor(deps, user, plan.filter);
  const { fused, method, failure } = plan.browse
    ? { fused: { rows: passingRows(candidates) }, method: 'keyword' as const, failure: undefined }
    : await runArms(deps, user, plan, candidates);
  const { page, total, matches } = await pageOf(deps, user, plan, candidates, fused);
  const { items: memories, taken, isFull } = await pageOfRecords(deps, user, candidates.index, page);
  return {
    hits: await shapeHits(
      { plan, index: candidates.index, fused, page, matches, memories },
      deps.analyzeWithOffsets,
    ),
    total,
    method,
    branchFailures: failure ? [failure] : [],
    ...(isFull && { nextOffset: plan.offset + taken }),
    ...(plan.includeFacets && { facets: facetsOf(candidates.index, fused.rows) }),
  };
}

interface RankedByArms {
  readonly fused: Fused;
  readonly method: SearchMethod;
  readonly failure: BranchFailure | undefined;
}

async function runArms(
  deps: SearchDeps,
  user: UserRef,
  plan: SearchPlan,
  candidates: Candidates,
): Promise<RankedByArms> {
  const { answered, seen, words, meaning, expansions, phrases } = await askArms(deps, user, plan, candidates);
  const failure = meaning?.failure;
  return {
    fused: { ...fuse(answered, seen, words, meaning), expansions, phrases },
    // Near words still count where they were asked for; without vectors it is no hybrid search.
    method: failure ? 'keyword' : answered.method,
    failure,
  };
}

/** What the arms found for a query, before anything is weighed. */
export interface AskedArms extends Pick<Fused, 'expansions' | 'phrases'> {
  /** The plan that is carried out: by words where a semantic search lacks its vectors. */
  readonly answered: SearchPlan;
  /** Those that hold the phrases asked for. */
  readonly seen: Candidates;
  readonly words: KeywordMatches;
  readonly meaning: FoundByMeaning | undefined;
}

export async function askArms(
  deps: SearchDeps,
  user: UserRef,
  plan: SearchPlan,
  candidates: Candidates,
): Promise<AskedArms> {
  const { index, view } = candidates;
  const synonyms = deps.meaning?.synonyms;
  const isKnown = (word: string) => (synonyms?.near(word).length ?? 0) > 0;
  const { terms, expansions } = await expandQuery(deps.readerFor(user), view, plan, isKnown);
  const { memories } = deps.stores.forUser(user);
  const { phrases, rows } = await matchPhrases({ phrases: plan.phrases, terms, candidates, memories });
  const passes: RowTest = rows ? (row) => rows.has(row) : candidates.passes;
  const seen = { ...candidates, passes };
  const meaning = await findByMeaning(deps, user, plan, seen, terms);
  const answered = meaning?.failure && plan.method === 'semantic' ? byWords(plan) : plan;
  const words = scoreTerms(index, answered.method === 'semantic' ? [] : terms, passes);
  return { answered, seen, words, meaning, expansions, phrases };
}

interface RowsOfPage {
  readonly page: readonly number[];
  readonly total: number;
  /** Where not all rows are. */
  readonly matches?: ReadonlySet<number>;
}

async function pageOf(
  deps: SearchDeps,
  user: UserRef,
  plan: SearchPlan,
  candidates: Candidates,
  fused: Fused,
): Promise<RowsOfPage> {
  const { index } = candidates;
  const { offset, limit } = plan;
  if (plan.temporalMode !== 'evolution')
    return { page: firstOf(plan, index, fused, offset + limit).slice(offset), total: fused.rows.length };
  const matches = firstOf(plan, index, fused, evolutionMatchesMax);
  const versions = await evolutionOf(deps, user, plan, candidates, matches);
  return {
    page: versions.slice(offset, offset + limit),
    total: versions.length,
    matches: new Set(fused.rows),
  };
}

/** The first `count` matches in the order asked for, or all there are. */
function firstOf(plan: SearchPlan, index: UserIndex, { rows, scores }: Fused, count: number): number[] {
  const best = plan.sortBy === 'relevance' && scores ? byScore(index, scores) : byTime(index, plan);
  const reversed: RowOrder = (a, b) => best(b, a);
  const isReversed = plan.sortBy === 'relevance' && plan.order === 'asc';
  return firstRows(rows, Math.min(rows.length, count), isReversed ? reversed : best);
}
