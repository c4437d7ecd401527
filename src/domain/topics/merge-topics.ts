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
 * Records the merge of `source` into `target` (each by id, name or alias): the name of the source means the target from
 * now on. `continueMerge` changes the memories.
 * @throws 404; 422 if both are the same topic
 */
export async function startMerge(write: Write, source: string, target: string): Promise<TopicMerge> {
  const [from, into] = [await write.tx.topics.find(source), await write.tx.topics.find(target)];
  if (!from || !into) throw notFound('topic');
  if (from.id === into.id) throw invalidInput('targetTopicId', 'must name another topic than sourceTopicId');
  return recordMerge(write, { from, into, title: `${from.name} merged into ${into.name}` });
}

/**
 * Records that a topic (by id, name or alias) has another name: it is merged into a new topic of that name, so that
 * memories, undo and the former name as an alias work as with any merge.
 * @throws 404; 422 if the name is blank, its own already or that of another topic
 */
export async function startRename(write: Write, idOrName: string, name: string): Promise<TopicMerge> {
  const from = await write.tx.topics.find(idOrName);
  if (!from) throw notFound('topic');
  if (normaliseTopicName(name) === '') throw invalidInput('name', 'must not be blank');
  const owner = await write.tx.topics.find(name);
  if (owner?.id === from.id)
    throw invalidInput('name', 'must differ from its names by more than case and space');
  if (owner) throw invalidInput('name', 'must not be that of another topic: merge the two');
  const into = { id: await write.tx.topics.create(name.trim(), write.at), name: name.trim() };
  return recordMerge(write, { from, into, title: `${from.name} renamed to ${into.name}` });
}

interface MergeToRecord {
  readonly from: TopicRef;
  readonly into: TopicRef;
  /** Of its entry in the trash. */
  readonly title: string;
}

async function recordMerge({ tx, at }: Write, { from, into, title }: MergeToRecord): Promise<TopicMerge> {
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
  await tx.trash.insert({ kind: 'topic-merge', recordId: merge.id, title, counts: { topics: 1 } }, at);
  const names = await tx.topicMerges.listNamesOf(from.id);
  await tx.topicMerges.redirect(
    names.map(({ id }) => id),
    into.id,
  );
  return merge;
}

/**
 * Begins to undo a merge: the source is a topic of its own again, with its id, name and aliases.
 * @throws 404 if no active merge has this id
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

/** Topics merged into `source`, directly or through other merges. */
async function aliasesThrough(tx: UserReaders, source: string): Promise<string[]> {
  const into = new Map<string, string[]>();
  for (const merge of await tx.topicMerges.listActive(Number.MAX_SAFE_INTEGER))
    into.set(merge.target.id, [...(into.get(merge.target.id) ?? []), merge.source.id]);
  const found: string[] = [...(into.get(source) ?? [])];
  for (const alias of found) found.push(...(into.get(alias) ?? []));
  return found;
}

/**
 * Changes the next memories, at most `mergeChunk`, of a merge that is running or being undone.
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
 * Undoes a merge: the source has its id, name and aliases again, and memories have their former topics, in their former
 * places; other changes of them stay. Merges may be undone in any order.
 * Changes at most `mergeChunk` memories within `write`. If the returned merge is still `undoing`, the caller continues
 * with `TopicMergeService.finish` after its transaction; if interrupted, the next start of the service does so.
 * @throws 404 if no active merge has this id
 */
export async function undoMerge(write: Write, id: string): Promise<TopicMerge> {
  const merge = await startUndo(write, id);
  const more = await continueMerge(write, merge);
  return more ? merge : { ...merge, state: 'undone' };
}

/** Active merges, newest first; at most 1,000. */
export function listMerges(readers: UserReaders, limit = mergesMax): Promise<TopicMerge[]> {
  return readers.topicMerges.listActive(Math.min(limit, mergesMax));
}

/**
 * Merges of topics in the trash: restoring one undoes the merge. `TopicMergeService.finish`
 * changes the memories of a large merge that the transaction leaves unchanged.
 */
export const topicMergeTrash: TrashHandler = {
  restore: async (write, { recordId }) => {
    const merge = await undoMerge(write, recordId);
    return { topics: 1, memories: merge.memoriesMoved };
  },
  // A merge has no text of deleted records: the name of the source stays as an alias of the target.
  eraseStep: async () => false,
};

/** The topics that a memory shows after merges, and the rows that belong to them. */
interface ShownTopics {
  readonly names: readonly string[];
  readonly topicIds: readonly string[];
  readonly origins: readonly Omit<TopicOrigin, 'memoryId'>[];
}

/** A topic that the memory has itself, and the topic that it means now. */
interface OwnTopic {
  readonly topicId: string;
  readonly name: string;
  readonly root: TopicRef;
}

/**
 * Topics that a memory shows, computed from its own topics: each is replaced
 * by its current target, which appears once, in the place of the first. So
 * merges may be undone in any order, and leave no trace once all are undone.
 * @param names the topics in the memory's list, to which the rows belong
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

/** The own topics of a memory, with merged ones back in their former places. */
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

/** Keeps the order if the names are the same: the user may have changed it since a merge. */
function inOrderOf(names: readonly string[], shown: readonly string[]): readonly string[] {
  const same = names.length === shown.length && shown.every((name) => names.includes(name));
  return same ? names : shown;
}

/**
 * Writes a new version of each live memory whose topics differ from those that the active merges require. `updatedAt`
 * stays: the user stated nothing new. Also called for memories restored from the trash, which merges skip.
 * @returns the memories with a new version, as they are now
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
