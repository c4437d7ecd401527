import type { UserRef } from '../domain/shared/user-ref.ts';
import type { Candidates, RetrievalDeps } from './candidates.ts';
import type { SearchPlan } from './query/plan.ts';

/** `temporalMode=evolution`: limits on expanded matches and on memories in their supersession chains. */
export const evolutionMatchesMax = 200;
const chainMemoriesMax = 1000;

/**
 * All versions, oldest first, of the memories of `rows` and of memories that supersede them or are superseded
 * by them, up to the time searched. At most the first 200 rows, and 1,000 memories through chains.
 */
export async function evolutionOf(
  deps: RetrievalDeps,
  user: UserRef,
  { filter }: SearchPlan,
  { index }: Candidates,
  rows: readonly number[],
): Promise<number[]> {
  const { seqs, trashed, openedAt, docs } = index.columns;
  const shown = new Set(rows.slice(0, evolutionMatchesMax).map((row) => seqs[row]));
  const { relationships } = deps.stores.forUser(user);
  let frontier = [...shown];
  while (frontier.length > 0 && shown.size < chainMemoriesMax) {
    const others = await relationships.supersedingSeqs(frontier, filter.asOf);
    frontier = others.filter((seq) => !shown.has(seq)).slice(0, chainMemoriesMax - shown.size);
    for (const seq of frontier) shown.add(seq);
  }
  const asOf = filter.asOf ?? Number.POSITIVE_INFINITY;
  const versions: number[] = [];
  for (let row = 0; row < index.size; row++)
    if (shown.has(seqs[row]) && trashed[row] === 0 && openedAt[row] <= asOf) versions.push(row);
  return versions.sort((a, b) => openedAt[a] - openedAt[b] || seqs[a] - seqs[b] || docs[a] - docs[b]);
}
