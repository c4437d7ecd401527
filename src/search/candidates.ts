import type { Stores } from '../domain/shared/stores.ts';
import type { UserRef } from '../domain/shared/user-ref.ts';
import { chunksOf } from '../lib/collections.ts';
import type { RowTest } from '../search-index/columns/row-set.ts';
import type { IndexCache } from '../search-index/index-cache.ts';
import type { MemoryFilter } from '../search-index/memory-filter.ts';
import type { IndexReader } from '../search-index/ports.ts';
import { type IndexView, viewOf } from '../search-index/rows/index-view.ts';
import { type OutsideColumns, rowTest } from '../search-index/rows/row-filter.ts';
import type { UserIndex } from '../search-index/rows/user-index.ts';

/** Dependencies shared by all searches. */
export interface RetrievalDeps {
  readonly stores: Stores;
  readonly indexes: IndexCache;
  readonly readerFor: (user: Pick<UserRef, 'id'>) => IndexReader;
}

/** A user's index as last committed, and the test of the rows that may be returned. */
export interface Candidates {
  readonly index: UserIndex;
  readonly view: IndexView;
  readonly passes: RowTest;
}

const idPrefixDocsMax = 100_000;

export async function candidatesFor(
  deps: RetrievalDeps,
  user: UserRef,
  filter: MemoryFilter,
  { withVectors }: { readonly withVectors: boolean } = { withVectors: false },
): Promise<Candidates> {
  const index = await deps.indexes.get(user, { withVectors });
  const lists = await outsideLists(deps, user, filter);
  const allowed = lists.map((docs) => new Set(docs.map((doc) => index.rowOf(doc))));
  const view = viewOf(index, filter.asOf);
  const named = await withAliases(deps, user, filter);
  const derived =
    named.topics || named.excludeTopics ? await derivedTopicRows(deps, user, index, named) : noRows;
  return { index, view, passes: rowTest(view, named, { allowed, derived }) };
}

/**
 * Versions from before a merge of topics have the name
 * that is an alias now; at that time they were two topics.
 */
async function withAliases(
  { stores }: RetrievalDeps,
  user: UserRef,
  filter: MemoryFilter,
): Promise<MemoryFilter> {
  const { topics, excludeTopics, asOf } = filter;
  if (!topics && !excludeTopics) return filter;
  const reader = stores.forUser(user).topics;
  const allNames = (names: readonly string[]) =>
    asOf === undefined ? reader.allNamesOf(names) : reader.allNamesAsOf(names, asOf);
  return {
    ...filter,
    topics: topics && (await allNames(topics)),
    excludeTopics: excludeTopics && (await allNames(excludeTopics)),
  };
}

const noRows: OutsideColumns['derived'] = { topics: new Set(), excludeTopics: new Set() };

async function derivedTopicRows(
  deps: RetrievalDeps,
  user: UserRef,
  index: UserIndex,
  { topics, excludeTopics }: MemoryFilter,
): Promise<OutsideColumns['derived']> {
  return {
    topics: await rowsWithDerived(deps, user, index, topics),
    excludeTopics: await rowsWithDerived(deps, user, index, excludeTopics),
  };
}

/**
 * Topics given by clients are in a column of the index;
 * derived ones are added later, and are read from the store.
 */
async function rowsWithDerived(
  { readerFor }: RetrievalDeps,
  user: UserRef,
  index: UserIndex,
  names: readonly string[] | undefined,
): Promise<ReadonlySet<number>> {
  const docs = new Set<number>();
  for (const chunk of chunksOf(names ?? []))
    for (const doc of await readerFor(user).derived.docsWithTopics(chunk)) docs.add(doc);
  return new Set(Array.from(docs, (doc) => index.rowOf(doc)));
}

/** Docs that pass each filter for which the index has no column. */
async function outsideLists(deps: RetrievalDeps, user: UserRef, filter: MemoryFilter): Promise<number[][]> {
  const { scope, taskId, role, createdBy, via, agent, tool, entityId, idPrefix, externalId } = filter;
  const outcome = filter.outcome === 'any' ? undefined : filter.outcome;
  const lists: number[][] = [];
  if (scope !== undefined || taskId !== undefined || outcome !== undefined) {
    lists.push(await deps.readerFor(user).docsWith({ scope, taskId, outcome }));
  }
  if (role !== undefined) lists.push(await deps.stores.forUser(user).memories.docsWithRole(role));
  const author = { keyId: createdBy, via, agent, tool };
  if (Object.values(author).some((value) => value !== undefined))
    lists.push(await deps.stores.forUser(user).memories.docsWrittenBy(author));
  if (entityId !== undefined) lists.push(await deps.stores.forUser(user).entities.docsMentioning(entityId));
  if (idPrefix !== undefined) {
    lists.push(
      await deps.stores.forUser(user).memories.docsByIdPrefix(idPrefix.toLowerCase(), idPrefixDocsMax),
    );
  }
  if (externalId !== undefined) {
    const found = await deps.stores.forUser(user).memories.findByExternalIds([externalId]);
    lists.push([...found.values()].map(({ memory }) => memory.doc));
  }
  return lists;
}

/** Every row that passes, in order of writing. */
export function passingRows({ view, passes }: Candidates): number[] {
  const rows: number[] = [];
  for (let row = 0; row < view.size; row++) if (passes(row)) rows.push(row);
  return rows;
}
