import type { UserRef } from '../domain/shared/user-ref.ts';
import { type KeywordMatches, keywordArm } from './arms/keyword-arm.ts';
import { type Candidates, candidatesFor, passingRows, type RetrievalParts } from './candidates.ts';
import type { UserIndex } from './index/user-index.ts';
import { planSearch, type SearchPlan } from './plan.ts';
import type { AnalyzeQuery, AnalyzeWithOffsets } from './ports.ts';
import { firstRows, type RowOrder } from './rank/order.ts';
import { byScore, byTime } from './rank/sort-orders.ts';
import type { SearchAnswer, SearchHit, SearchRequest } from './request.ts';
import { facetsOf } from './shape/facets.ts';
import { matchedWords, shapeHit } from './shape/hit.ts';
import { previewLengthMax } from './shape/preview.ts';

export interface SearchParts extends RetrievalParts {
  readonly analyzeQuery: AnalyzeQuery;
  readonly analyzeWithOffsets: AnalyzeWithOffsets;
}

interface Found {
  readonly rows: readonly number[];
  readonly keyword?: KeywordMatches;
}

/** The whole way of a search: plan, arms, fuse, shape. */
export async function searchMemories(
  parts: SearchParts,
  user: UserRef,
  request: SearchRequest,
): Promise<SearchAnswer> {
  const plan = planSearch(request, parts.analyzeQuery);
  const candidates = await candidatesFor(parts, user, plan.filter);
  const found = plan.browse
    ? { rows: passingRows(candidates) }
    : await runArms(parts, user, plan, candidates);
  const page = pageOf(plan, candidates, found);
  return {
    hits: await shape(parts, user, { plan, candidates, found, page }),
    total: found.rows.length,
    method: 'keyword',
    ...(plan.includeFacets && { facets: facetsOf(candidates.index, found.rows) }),
  };
}

async function runArms(
  parts: SearchParts,
  user: UserRef,
  plan: SearchPlan,
  { index, passes }: Candidates,
): Promise<Found> {
  const postings = await parts.readerFor(user).postings('memory', plan.terms);
  const keyword = keywordArm(index, plan.terms, postings, passes);
  return { rows: keyword.rows, keyword };
}

function pageOf(plan: SearchPlan, { index }: Candidates, { rows, keyword }: Found): number[] {
  if (plan.offset >= rows.length) return [];
  const last = Math.min(rows.length, plan.offset + plan.limit);
  return firstRows(rows, last, orderOf(plan, index, keyword)).slice(plan.offset);
}

function orderOf(plan: SearchPlan, index: UserIndex, keyword: KeywordMatches | undefined): RowOrder {
  if (plan.sortBy !== 'relevance' || !keyword) return byTime(index, plan);
  const best = byScore(index, keyword.scores);
  return plan.order === 'asc' ? (a, b) => best(b, a) : best;
}

interface ShapeInput {
  readonly plan: SearchPlan;
  readonly candidates: Candidates;
  readonly found: Found;
  readonly page: readonly number[];
}

async function shape(parts: SearchParts, user: UserRef, input: ShapeInput): Promise<SearchHit[]> {
  const { plan, found, page } = input;
  const { index } = input.candidates;
  const memories = await parts.stores
    .forUser(user)
    .memories.findByDocs(page.map((row) => index.columns.docs[row]));
  const rankOf = new Map(page.map((row, i) => [index.columns.docs[row], { row, rank: plan.offset + i + 1 }]));
  const terms = new Set(plan.terms);
  return memories.map((memory) => {
    const place = rankOf.get(memory.doc) ?? { row: -1, rank: 0 };
    const looked = plan.explain || memory.content.length > previewLengthMax;
    const words =
      looked && terms.size > 0 ? matchedWords(memory.content, terms, parts.analyzeWithOffsets) : [];
    const score = found.keyword?.scores[place.row];
    return shapeHit({ memory, words, rank: place.rank, score, explain: plan.explain });
  });
}
