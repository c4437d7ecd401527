import type { EmbeddingProgress } from '../domain/embedding/embedding-progress.ts';
import type { NearWords } from '../domain/embedding/near-words.ts';
import type { EmbedderOf } from '../domain/embedding/space-embedder.ts';
import type { UserRef } from '../domain/shared/user-ref.ts';
import type { Clock } from '../lib/clock.ts';
import { type KeywordMatches, scoreTerms } from './arms/keyword-arm.ts';
import type { LiveTerm } from './arms/live-terms.ts';
import { semanticArm } from './arms/semantic-arm.ts';
import { softTerms } from './arms/soft-terms.ts';
import { type Candidates, candidatesFor, passingRows, type RetrievalParts } from './candidates.ts';
import { evolutionMatchesMax, evolutionOf } from './evolution.ts';
import { type FoundByMeaning, type Fused, fuse } from './fuse.ts';
import type { RowTest } from './index/row-filter.ts';
import type { UserIndex } from './index/user-index.ts';
import { type Analyzer, planSearch, type SearchPlan } from './plan.ts';
import { firstRows, type RowOrder } from './rank/order.ts';
import { byScore, byTime } from './rank/sort-orders.ts';
import { recordsOf } from './records.ts';
import type { SearchAnswer, SearchRequest } from './request.ts';
import { facetsOf } from './shape/facets.ts';
import { shapeHits } from './shape/hits.ts';
import { holdPhrases } from './terms/hold-phrases.ts';
import { readTerms } from './terms/read-terms.ts';
import type { ShortTexts } from './vectors/short-texts.ts';

/** The longest a search waits for what its user has just written to be embedded. */
const settlingMaxMs = 250;

/** What finds by meaning. */
export interface MeaningParts {
  readonly embedderOf: EmbedderOf;
  readonly nearWords: NearWords;
}

export interface SearchParts extends RetrievalParts, Analyzer {
  readonly meaning?: MeaningParts;
  /** What is written and not yet embedded is waited for a little. */
  readonly embedding: Pick<EmbeddingProgress, 'settled'>;
  /** What compares facts, titles and names of topics by meaning; absent: by words alone. */
  readonly shortTexts?: ShortTexts;
  readonly clock: Clock;
}

/** The whole way of a search: plan, what its words are read as, arms, fuse, shape. */
export async function searchMemories(
  parts: SearchParts,
  user: UserRef,
  request: SearchRequest,
): Promise<SearchAnswer> {
  const plan = planSearch(request, parts, parts.clock.now());
  if (plan.method !== 'keyword' && !plan.browse) await parts.embedding.settled(user, settlingMaxMs);
  const candidates = await candidatesFor(parts, user, plan.filter);
  const fused = plan.browse
    ? { rows: passingRows(candidates) }
    : await runArms(parts, user, plan, candidates);
  const { page, total, matches } = await pageOf(parts, user, plan, candidates, fused);
  const memories = await recordsOf(parts, user, candidates.index, page);
  return {
    hits: shapeHits(
      { plan, index: candidates.index, fused, page, matches, memories },
      parts.analyzeWithOffsets,
    ),
    total,
    method: plan.browse ? 'keyword' : plan.method,
    ...(plan.includeFacets && { facets: facetsOf(candidates.index, fused.rows) }),
  };
}

async function runArms(
  parts: SearchParts,
  user: UserRef,
  plan: SearchPlan,
  candidates: Candidates,
): Promise<Fused> {
  const { seen, words, meaning, readings, phrases } = await askArms(parts, user, plan, candidates);
  return { ...fuse(plan, seen, words, meaning), readings, phrases };
}

/** What the arms found for a query, before anything is weighed. */
export interface AskedArms extends Pick<Fused, 'readings' | 'phrases'> {
  /** Those that hold the phrases asked for. */
  readonly seen: Candidates;
  readonly words: KeywordMatches;
  readonly meaning: FoundByMeaning | undefined;
}

export async function askArms(
  parts: SearchParts,
  user: UserRef,
  plan: SearchPlan,
  candidates: Candidates,
): Promise<AskedArms> {
  const { index, moment } = candidates;
  const nearWords = parts.meaning?.nearWords;
  const isKnown = (word: string) => (nearWords?.near(word).length ?? 0) > 0;
  const { terms, readings } = await readTerms(parts.readerFor(user), moment, plan, isKnown);
  const { memories } = parts.stores.forUser(user);
  const { phrases, rows } = await holdPhrases({ phrases: plan.phrases, terms, candidates, memories });
  const passes: RowTest = rows ? (row) => rows.has(row) : candidates.passes;
  const seen = { ...candidates, passes };
  const meaning = await findByMeaning(parts, user, plan, seen, terms);
  const words = scoreTerms(index, plan.method === 'semantic' ? [] : terms, passes);
  return { seen, words, meaning, readings, phrases };
}

/** The arms of meaning side by side; undefined where only words are asked about. */
async function findByMeaning(
  parts: SearchParts,
  user: UserRef,
  plan: SearchPlan,
  { moment, passes }: Candidates,
  typed: readonly LiveTerm[],
): Promise<FoundByMeaning | undefined> {
  if (plan.method === 'keyword' || !parts.meaning) return undefined;
  const { embedderOf, nearWords } = parts.meaning;
  const inSpace = await embedderOf(moment.index.space);
  const { analyzeQuery } = parts;
  const reader = parts.readerFor(user);
  const isFiltered = isNarrowing(plan);
  const [nearness, soft] = await Promise.all([
    inSpace &&
      semanticArm(plan.query, {
        embedder: inSpace.embedder,
        reader,
        moment,
        passes,
        isFiltered,
        wanted: plan.offset + plan.limit,
      }),
    plan.method === 'hybrid'
      ? softTerms({ reader, moment, nearWords, analyzeQuery, words: plan.words, typed })
      : undefined,
  ]);
  return { nearness: nearness ?? new Map(), soft, halfSimilarityAt: inSpace?.halfSimilarityAt ?? 1 };
}

/** Whether rows that are seen may fail the filter. */
function isNarrowing({ filter, phrases }: SearchPlan): boolean {
  const { asOf: _, notExpiredAt, includeSuperseded, ...rest } = filter;
  return (
    phrases.length > 0 ||
    !includeSuperseded ||
    notExpiredAt !== undefined ||
    Object.values(rest).some((value) => value !== undefined)
  );
}

interface RowsOfPage {
  readonly page: readonly number[];
  readonly total: number;
  /** Where not all rows are. */
  readonly matches?: ReadonlySet<number>;
}

async function pageOf(
  parts: SearchParts,
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
  const versions = await evolutionOf(parts, user, plan, candidates, matches);
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
