import { randomUUID } from 'node:crypto';
import { invalidInput, notFound } from '../shared/errors.ts';
import type { UserReaders } from '../shared/stores.ts';
import type { Write } from '../shared/write.ts';
import { resolveMerges } from './resolve-merges.ts';
import type { TopicMerge } from './topic-merge.ts';

/** Memories changed in one transaction: some 30 ms of the writer. */
export const mergeChunk = 100;
const mergesMax = 1000;

/**
 * Records that `source` is taken into `target` (each by id, name or alias): from now on its name means the target.
 * Its memories follow with `continueMerge`.
 * @throws 404, 422 when both are one topic
 */
export async function startMerge({ tx, at }: Write, source: string, target: string): Promise<TopicMerge> {
  const [from, into] = [await tx.topics.find(source), await tx.topics.find(target)];
  if (!from || !into) throw notFound('topic');
  if (from.id === into.id) throw invalidInput('targetTopicId', 'must name another topic than sourceTopicId');
  const merge: TopicMerge = {
    id: randomUUID(),
    source: { id: from.id, name: from.name },
    target: { id: into.id, name: into.name },
    state: 'running',
    memoriesMoved: 0,
    createdAt: at,
    undoneAt: null,
  };
  await tx.topicMerges.insert(merge);
  const title = `${from.name} merged into ${into.name}`;
  await tx.trash.insert({ kind: 'topic-merge', recordId: merge.id, title, counts: { topics: 1 } }, at);
  const names = await tx.topicMerges.listNamesOf(from.id);
  await tx.topicMerges.redirect(
    names.map(({ id }) => id),
    into.id,
  );
  return merge;
}

/**
 * Begins to take a merge back: the source is a topic of its own again, with its id, name and aliases.
 * @throws 404 where no active merge has this id
 */
async function startUndo({ tx, at }: Write, id: string): Promise<TopicMerge> {
  const merge = await tx.topicMerges.find(id);
  if (!merge || merge.undoneAt !== null) throw notFound('topic_merge');
  const source = merge.source.id;
  const aliases = await aliasesThrough(tx, source);
  await tx.topicMerges.redirect([source, ...aliases], source);
  await tx.topicMerges.setState(id, 'undoing', at);
  return { ...merge, state: 'undoing', undoneAt: at };
}

/** Topics that were merged into `source`, or into one that was, and so on. */
async function aliasesThrough(tx: UserReaders, source: string): Promise<string[]> {
  const into = new Map<string, string[]>();
  for (const merge of await tx.topicMerges.listActive(Number.MAX_SAFE_INTEGER))
    into.set(merge.target.id, [...(into.get(merge.target.id) ?? []), merge.source.id]);
  const found: string[] = [...(into.get(source) ?? [])];
  for (const alias of found) found.push(...(into.get(alias) ?? []));
  return found;
}

/**
 * Changes the next at most `mergeChunk` memories of a merge that runs or is being undone.
 * @returns whether more may be left
 */
export async function continueMerge(write: Write, { id }: TopicMerge): Promise<boolean> {
  const { topicMerges, memories } = write.tx;
  const merge = await topicMerges.find(id);
  if (merge?.state !== 'running' && merge?.state !== 'undoing') return false;
  const running = merge.state === 'running';
  const ids = running
    ? await topicMerges.memoriesShowing(merge.source.id, mergeChunk)
    : await topicMerges.memoriesHiding(merge.source.id, mergeChunk);
  const changed = await resolveMerges(write, await memories.findMany(ids));
  if (running) await topicMerges.addMoved(id, changed.length);
  if (ids.length === mergeChunk) return true;
  await topicMerges.setState(id, running ? 'done' : 'undone', merge.undoneAt);
  await write.tx.topics.removeUnused([merge.source.id, merge.target.id]);
  return false;
}

/**
 * Takes a merge back: the source has its id, name and aliases again, and memories the topics that they had, in their
 * places; what else of them was changed since stays changed. Merges may be undone in any order.
 * At most `mergeChunk` memories are changed within `write`; where the merge comes back as `undoing`, the caller goes on
 * with `TopicMergeService.finish` after its transaction. (An interrupted one is taken up when the service starts.)
 * @throws 404 where no merge of this id stands
 */
export async function undoMerge(write: Write, id: string): Promise<TopicMerge> {
  const merge = await startUndo(write, id);
  const more = await continueMerge(write, merge);
  return more ? merge : { ...merge, state: 'undone' };
}

/** Active merges, which can be undone, newest first; at most 1,000. */
export function listMerges(readers: UserReaders, limit = mergesMax): Promise<TopicMerge[]> {
  return readers.topicMerges.listActive(Math.min(limit, mergesMax));
}
