import { changeMemory } from '../memories/change-memory.ts';
import type { Memory } from '../memories/memory.ts';
import type { Write } from '../shared/write.ts';
import { normaliseTopicName } from './topic.ts';
import type { TopicOrigin, TopicRef } from './topic-merge.ts';
import type { TopicRows, TopicRowsOfMemory } from './topic-merge-store.ts';

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
