import type { UserRef } from '../domain/shared/user-ref.ts';
import type { Clock } from '../lib/clock.ts';
import { scoreTerms } from './arms/keyword-arm.ts';
import { type Candidates, candidatesFor, passingRows, type RetrievalParts } from './candidates.ts';
import { type Fused, fuse } from './fuse.ts';
import type { RowTest } from './index/row-filter.ts';
import { type Analyzer, planSearch, type SearchPlan } from './plan.ts';
import { firstRows, type RowOrder } from './rank/order.ts';
import { byScore, byTime } from './rank/sort-orders.ts';
import { recordsOf } from './records.ts';
import type { SearchAnswer, SearchRequest } from './request.ts';
import { facetsOf } from './shape/facets.ts';
import { shapeHits } from './shape/hits.ts';
import { holdPhrases } from './terms/hold-phrases.ts';
import { readTerms } from './terms/read-terms.ts';

export interface SearchParts extends RetrievalParts, Analyzer {
  readonly clock: Clock;
}

/** The whole way of a search: plan, what its words are read as, arms, fuse, shape. */
export async function searchMemories(
  parts: SearchParts,
  user: UserRef,
  request: SearchRequest,
): Promise<SearchAnswer> {
  const plan = planSearch(request, parts, parts.clock.now());
  const candidates = await candidatesFor(parts, user, plan.filter);
  const fused = plan.browse
    ? { rows: passingRows(candidates) }
    : await runArms(parts, user, plan, candidates);
  const page = pageOf(plan, candidates, fused);
  const memories = await recordsOf(parts, user, candidates.index, page);
  return {
    hits: shapeHits({ plan, index: candidates.index, fused, page, memories }, parts.analyzeWithOffsets),
    total: fused.rows.length,
    method: 'keyword',
    ...(plan.includeFacets && { facets: facetsOf(candidates.index, fused.rows) }),
  };
}

async function runArms(
  parts: SearchParts,
  user: UserRef,
  plan: SearchPlan,
  candidates: Candidates,
): Promise<Fused> {
  const { index } = candidates;
  const { terms, readings } = await readTerms(parts.readerFor(user), index, plan);
  const { memories } = parts.stores.forUser(user);
  const { phrases, rows } = await holdPhrases({ phrases: plan.phrases, terms, candidates, memories });
  const passes: RowTest = rows ? (row) => rows.has(row) : candidates.passes;
  return { ...fuse(plan, { index, passes }, scoreTerms(index, terms, passes)), readings, phrases };
}

function pageOf(plan: SearchPlan, { index }: Candidates, { rows, scores }: Fused): number[] {
  if (plan.offset >= rows.length) return [];
  const last = Math.min(rows.length, plan.offset + plan.limit);
  const best = plan.sortBy === 'relevance' && scores ? byScore(index, scores) : byTime(index, plan);
  const reversed: RowOrder = (a, b) => best(b, a);
  const isReversed = plan.sortBy === 'relevance' && plan.order === 'asc';
  return firstRows(rows, last, isReversed ? reversed : best).slice(plan.offset);
}
