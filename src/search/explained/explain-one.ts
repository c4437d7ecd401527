import { toIso } from '../../domain/shared/time.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import type { Candidates, RetrievalDeps } from '../candidates.ts';
import { evolutionMatchesMax } from '../evolution.ts';
import type { SearchPlan } from '../query/plan.ts';
import type { MatchedPhrase } from '../query/words/quoted-phrases.ts';
import type { Ranking } from '../rank/ranking.ts';
import { judgedMax } from '../rank/relevance.ts';
import type { Explained, SearchHit } from '../request.ts';
import { explainArms, missingWords, type RunOfArms } from './explain-arms.ts';
import { failedFilters } from './failed-filters.ts';

/** A search that has run. */
export interface FinishedSearch {
  readonly plan: SearchPlan;
  readonly candidates: Candidates;
  /** Absent without a query. */
  readonly asked: (RunOfArms & { readonly phrases: readonly MatchedPhrase[] }) | undefined;
  /** Findings of the arms; absent without a query. */
  readonly matched: ArrayLike<number> | undefined;
  /** Those of them that reach the minimum relevance, or all rows that pass the filter. */
  readonly rows: ArrayLike<number>;
  readonly minRelevance: number;
  readonly scores: Float64Array | undefined;
  /** Versions that `temporalMode=evolution` lists, in order. */
  readonly listed: readonly number[] | undefined;
  /** Rows of the page whose records fit. */
  readonly page: readonly number[];
  /** Place of a row among `rows`, from 1. */
  readonly rankOf: (row: number) => number;
  readonly hitOf: (row: number) => Promise<SearchHit | undefined>;
}

type Step = Omit<Explained, 'memoryId'>;

const includes = (rows: ArrayLike<number>, row: number) => Array.prototype.includes.call(rows, row);

/**
 * The stage that a memory reached in a search, and the reasons for its absence. They are computed from the search
 * itself: its filters one by one, its arms, and its order.
 */
export async function explainOne(
  deps: RetrievalDeps & { readonly ranking: Pick<Ranking, 'arms' | 'weights'> },
  user: UserRef,
  memoryId: string,
  search: FinishedSearch,
): Promise<Explained> {
  return { memoryId, ...(await stepOf(deps, user, memoryId, search)) };
}

async function stepOf(
  deps: RetrievalDeps & { readonly ranking: Pick<Ranking, 'arms' | 'weights'> },
  user: UserRef,
  memoryId: string,
  search: FinishedSearch,
): Promise<Step> {
  const { plan, candidates, asked, listed } = search;
  const seq = await deps.stores.forUser(user).memories.seqOf(memoryId);
  if (seq === undefined) return { status: 'unknown', reason: 'There is no memory with this id.' };
  const versions = versionsOf(candidates, seq);
  const row = versions.find((version) => candidates.view.isVisible(version));
  const inList = listed?.findIndex((version) => versions.includes(version)) ?? -1;
  if (inList >= 0) return ofList(search, versions, inList + 1);
  if (row === undefined) return notVisible(candidates, versions, plan);
  const doc = candidates.index.columns.docs[row];
  if (!candidates.passes(row)) return filtered(await failedFilters(deps, user, { filter: plan.filter, doc }));
  if (asked && !asked.candidates.passes(row)) return withoutPhrase(asked.phrases);
  if (!asked || !search.matched) return ranked(search, row, {});
  const arms = await explainArms(asked, row, { ranking: deps.ranking, reader: deps.readerFor(user) });
  const known = { arms, missingWords: missingWords(asked, row) };
  if (!includes(search.matched, row)) return unmatched(plan, known);
  return ranked(search, row, known);
}

function versionsOf({ index }: Candidates, seq: number): number[] {
  const rows: number[] = [];
  for (let row = 0; row < index.size; row++) if (index.columns.seqs[row] === seq) rows.push(row);
  return rows;
}

function notVisible({ index }: Candidates, versions: readonly number[], { filter }: SearchPlan): Step {
  const { trashed, openedAt } = index.columns;
  if (versions.some((row) => trashed[row] !== 0))
    return { status: 'inTrash', reason: 'It is in the trash, which no search reads. Restore it first.' };
  const first = Math.min(...versions.map((row) => openedAt[row]));
  const since =
    filter.asOf === undefined || versions.length === 0
      ? 'It was written while this search ran.'
      : `It came to the service at ${toIso(first)}, after the time that was asked for, ${toIso(filter.asOf)}.`;
  return { status: 'notKnownYet', reason: since };
}

function filtered(filters: Explained['filters'] = []): Step {
  const each = filters.map(({ reason }) => reason).join('; ');
  return { status: 'filtered', reason: `Filters leave it out: ${each}.`, filters };
}

function withoutPhrase(phrases: readonly MatchedPhrase[]): Step {
  const quoted = phrases.filter(({ matched }) => matched).map(({ text }) => `"${text}"`);
  const reason = `it does not have ${quoted.join(' and ')} word for word, which other memories do`;
  return filtered([{ filter: 'phrase', reason }]);
}

type KnownOfArms = Pick<Explained, 'arms' | 'missingWords'>;

function unmatched({ context, isTimeAlone }: SearchPlan, known: KnownOfArms): Step {
  const each = known.arms?.map(({ arm, reason }) => `${arm}: ${reason}`).join(' ') ?? '';
  const around =
    context && !isTimeAlone ? ' Nor has a memory up to two places from it in its conversation.' : '';
  return { status: 'unmatched', reason: `Nothing in it matches. ${each}${around}`, ...known };
}

/** It matches: its place decides, or its relevance. */
async function ranked(search: FinishedSearch, row: number, known: KnownOfArms): Promise<Step> {
  const { rows, minRelevance, scores, plan, page } = search;
  const hit = await search.hitOf(row);
  const explanation = hit?.explanation;
  const relevance = hit?.relevance ?? undefined;
  const given = { ...known, ...(hit && { explanation }), ...(relevance !== undefined && { relevance }) };
  if (!includes(rows, row)) return notRelevant(given, minRelevance);
  const rank = search.rankOf(row);
  const place = { rank, ...(scores && { score: Math.max(0, scores[row]) }), ...given };
  if (page.includes(row)) return { status: 'found', reason: `It was found at rank ${rank}.`, ...place };
  const last = page.at(-1);
  const isByScore = plan.sortBy === 'relevance' && scores !== undefined && last !== undefined;
  if (search.listed) return { status: 'notOnPage', reason: onlyExpanded(rank), ...place };
  const reason = `It was found at rank ${rank} of ${rows.length}: ${boundsOf(search, rank)}.`;
  return {
    status: 'notOnPage',
    reason,
    ...place,
    ...(isByScore && { lastScore: Math.max(0, scores[last]) }),
  };
}

function boundsOf({ plan: { offset, limit }, page }: FinishedSearch, rank: number): string {
  if (rank <= offset) return `this page begins at ${offset + 1}`;
  const last = offset + page.length;
  return page.length < limit ? `this page is full of bytes at ${last}` : `this page ends at ${last}`;
}

const onlyExpanded = (rank: number) =>
  `It matches at rank ${rank}, and versions are listed of the best ${evolutionMatchesMax} only.`;

function notRelevant(given: Pick<Explained, 'relevance'>, least: number): Step {
  const { relevance = 0 } = given;
  const reason =
    relevance < least
      ? `Its relevance of ${relevance.toFixed(2)} is below the minimum of ${least.toFixed(2)}.`
      : `It is not among the best ${judgedMax} matches, of which the relevance is compared with the minimum.`;
  return { status: 'belowRelevance', reason, ...given };
}

/** One version at least is in the list of `temporalMode=evolution`, the first at `rank`. */
function ofList(search: FinishedSearch, versions: readonly number[], rank: number): Step {
  if (versions.some((row) => search.page.includes(row)))
    return { status: 'found', reason: `Its first version is listed at ${rank}.`, rank };
  const reason = `Its first version is listed at ${rank}: ${boundsOf(search, rank)}.`;
  return { status: 'notOnPage', reason, rank };
}
