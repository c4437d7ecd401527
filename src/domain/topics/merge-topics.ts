import { randomUUID } from 'node:crypto';
import { changeMemory } from '../memories/change-memory.ts';
import type { Memory } from '../memories/memory.ts';
import { invalidInput, notFound } from '../shared/errors.ts';
import type { UserReaders } from '../shared/stores.ts';
import type { Write } from '../shared/write.ts';
import type { TrashHandler } from '../trash/trash-handler.ts';
import { normaliseTopicName } from './topic.ts';
import type { TopicMerge, TopicOrigin, TopicRef, TopicRows, TopicRowsOfMemory } from './topic-merge.ts';

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

/**
 * A merge of topics can be undone as long as it lies in the trash. What of a large one is left to move when the
 * transaction ends goes on with `TopicMergeService.finish`.
 */
export const topicMergeTrash: TrashHandler = {
  restore: async (write, { recordId }) => {
    const merge = await undoMerge(write, recordId);
    return { topics: 1, memories: merge.memoriesMoved };
  },
  // The source's name goes on as an alias of the target: nothing of a merge is text that somebody deleted.
  eraseStep: async () => false,
};

/** A memory's list of topics after merges or undone ones, and the rows that go with it. */
interface ShownTopics {
  readonly names: readonly string[];
  readonly topicIds: readonly string[];
  readonly origins: readonly Omit<TopicOrigin, 'memoryId'>[];
}

/** A memory's own topic, whatever it is shown as. */
interface OwnTopic {
  readonly topicId: string;
  readonly name: string;
  readonly root: TopicRef;
}

/**
 * The topics that a memory shows follow from its own topics: each is shown as the one it means now,
 * once, where the first of them stands. So merges may be undone in any order and leave no trace when all are.
 * @param names the list of the memory to which the rows belong
 */
export function shownTopics(names: readonly string[], rows: TopicRows): ShownTopics {
  const own = ownTopics(names, rows);
  const roots = new Map(own.map(({ root }) => [root.id, root]));
  const spelling = new Map(names.map((name) => [normaliseTopicName(name), name]));
  const shown: string[] = [];
  const origins: Omit<TopicOrigin, 'memoryId'>[] = [];
  for (const [id, root] of roots) {
    const group = own.filter((topic) => topic.root.id === id);
    const itself = group.find(({ topicId }) => topicId === id);
    if (itself && group.length === 1) {
      shown.push(itself.name);
      continue;
    }
    shown.push(spelling.get(normaliseTopicName(root.name)) ?? itself?.name ?? root.name);
    for (const topic of group)
      origins.push({ topicId: topic.topicId, shownAs: id, name: topic.name, position: own.indexOf(topic) });
  }
  return { names: inOrderOf(names, shown), topicIds: [...roots.keys()], origins };
}

/** The topics of the list, with those that a merge took in where they stood before. */
function ownTopics(names: readonly string[], { links, origins }: TopicRows): OwnTopic[] {
  const linkOf = new Map(links.map((link) => [link.normalizedName, link]));
  const replaced = new Set(origins.map(({ shownAs }) => shownAs));
  const own: OwnTopic[] = [];
  for (const name of names) {
    const link = linkOf.get(normaliseTopicName(name));
    if (link && !replaced.has(link.topicId)) own.push({ topicId: link.topicId, name, root: link.root });
  }
  for (const { topicId, name, root, position } of origins.toSorted((a, b) => a.position - b.position))
    own.splice(Math.min(position, own.length), 0, { topicId, name, root });
  return own;
}

/** Where only the order would change it stays: the user may have changed it since a merge. */
function inOrderOf(names: readonly string[], shown: readonly string[]): readonly string[] {
  const same = names.length === shown.length && shown.every((name) => names.includes(name));
  return same ? names : shown;
}

/**
 * Gives live memories the list of topics that follows from the merges that stand now, where it is another one, in a
 * new version each. `updatedAt` stays: it tells of what the user stated about the memory.
 * Whoever restores memories from the trash calls it, for merges pass over what lies there.
 * @returns those that got a new version, as they are now
 */
export async function resolveMerges(write: Write, memories: readonly Memory[]): Promise<Memory[]> {
  if (memories.length === 0) return [];
  const { tx } = write;
  const { links, origins } = await tx.topicMerges.topicRowsOf(memories.map(({ id }) => id));
  const linksOf = groupedByMemory(links);
  const originsOf = groupedByMemory(origins);
  const changed: Memory[] = [];
  const resolved: TopicRowsOfMemory[] = [];
  for (const memory of memories) {
    const own = { links: linksOf.get(memory.id) ?? [], origins: originsOf.get(memory.id) ?? [] };
    if (isResolved(own)) continue;
    const { names, ...rows } = shownTopics(memory.topics, own);
    resolved.push({ memoryId: memory.id, ...rows });
    if (JSON.stringify(names) === JSON.stringify(memory.topics)) continue;
    changed.push(await changeMemory(write, memory, { topics: names }));
  }
  await tx.topicMerges.replaceTopicRows(resolved);
  return changed;
}

function isResolved({ links, origins }: TopicRows): boolean {
  return (
    links.every(({ topicId, root }) => topicId === root.id) &&
    origins.every(({ shownAs, root }) => shownAs === root.id)
  );
}

function groupedByMemory<T extends { readonly memoryId: string }>(rows: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(row.memoryId);
    if (group) group.push(row);
    else groups.set(row.memoryId, [row]);
  }
  return groups;
}
