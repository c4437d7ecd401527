import type { UserRef } from '../domain/shared/user-ref.ts';
import type { Candidates, RetrievalDeps } from './candidates.ts';
import type { SearchPlan } from './plan.ts';

/** Matches whose history is told, the best ones, and memories that belong to it through what supersedes what. */
export const evolutionMatchesMax = 200;
const chainMemoriesMax = 1000;

/**
 * All versions, oldest first, of the memories of `rows` and of those that supersede or are superseded by them, up to
 * the moment searched. At most the first 200 rows, and 1,000 memories through chains.
 */
export async function evolutionOf(
  deps: RetrievalDeps,
  user: UserRef,
  { filter }: SearchPlan,
  { index }: Candidates,
  rows: readonly number[],
): Promise<number[]> {
  const { seqs, trashed, openedAt, docs } = index.columns;
  const told = new Set(rows.slice(0, evolutionMatchesMax).map((row) => seqs[row]));
  const { relationships } = deps.stores.forUser(user);
  let frontier = [...told];
  while (frontier.length > 0 && told.size < chainMemoriesMax) {
    const beside = await relationships.supersedingSeqs(frontier, filter.asOf);
    frontier = beside.filter((seq) => !told.has(seq)).slice(0, chainMemoriesMax - told.size);
    for (const seq of frontier) told.add(seq);
  }
  const asOf = filter.asOf ?? Number.POSITIVE_INFINITY;
  const versions: number[] = [];
  for (let row = 0; row < index.size; row++)
    if (told.has(seqs[row]) && trashed[row] === 0 && openedAt[row] <= asOf) versions.push(row);
  return versions.sort((a, b) => openedAt[a] - openedAt[b] || seqs[a] - seqs[b] || docs[a] - docs[b]);
}
