import { chunksOf } from '../../lib/collections.ts';
import { leaveConversations, titleFrom } from '../conversations/place-memory.ts';
import { refreshStates } from '../relationships/relationship-service.ts';
import type { Write } from '../shared/write.ts';
import { resolveMerges } from '../topics/merge-topics.ts';
import { changeMemory } from './change-memory.ts';
import { nameConflict } from './create-memory.ts';
import type { Memory } from './memory.ts';
import type { MemoryChange } from './memory-store.ts';

/**
 * Moves memories to the trash and updates the counts of their conversations and the states
 * of their edges' targets; the name of a trashed head returns to the newest version left.
 * @returns the ids of their entries in the trash, in their order
 */
export async function trashMemories(write: Write, memories: readonly Memory[]): Promise<string[]> {
  const { tx, at } = write;
  await tx.memories.trash(memories, at);
  const entryIds: string[] = [];
  for (const { id, content } of memories) {
    const entry = {
      kind: 'memory',
      recordId: id,
      title: titleFrom(content),
      counts: { memories: 1 },
    } as const;
    entryIds.push(await tx.trash.insert(entry, at));
  }
  await leaveConversations(write, memories);
  await applyTrashEffects(write, memories);
  return entryIds;
}

/** Updates states and names after memories were trashed; their conversations are updated elsewhere. */
export async function applyTrashEffects(
  write: Write,
  memories: readonly Pick<Memory, 'id' | 'name' | 'chainId'>[],
): Promise<void> {
  const { tx } = write;
  const targets: string[] = [];
  for (const chunk of chunksOf(memories))
    targets.push(...(await tx.relationships.targetsOf(chunk.map(({ id }) => id))));
  const names = new Map<string, string | null>();
  for (const { name, chainId } of memories)
    if (chainId !== null) names.set(chainId, name ?? names.get(chainId) ?? null);
  const heirs = new Map<string, MemoryChange>();
  for (const [chainId, name] of names) {
    const [heir] = await tx.memories.listChain(chainId, 1);
    if (!heir) continue;
    targets.push(heir.id);
    if (name !== null) heirs.set(heir.id, { name });
  }
  await refreshStates(write, targets, heirs);
}

interface Names {
  /** Changes of names to apply once the memories are live. */
  readonly changes: Map<string, MemoryChange>;
  /** Restored memories that lose a name that was theirs while a later version was in the trash. */
  readonly returned: Memory[];
}

/**
 * Restores memories from the trash and updates names, topics, their own states and those
 * of the memories that their edges point to; their conversations are updated elsewhere.
 * @param rev the user's revision when they were deleted
 * @throws 409 if another memory or a later version has the name of one
 */
export async function restoreMemories(write: Write, memories: readonly Memory[], rev: number): Promise<void> {
  const { formerHeads, changes } = await markLive(write, memories, rev);
  const touched = [...formerHeads, ...(await statesAround(write, memories))];
  await refreshStates(write, touched, changes);
  await resolveMergesOf(write, memories);
}

/**
 * The first half of a restore in batches: `applyRestoreEffects` follows once all of the memories are live.
 */
export async function returnMemories(write: Write, memories: readonly Memory[], rev: number): Promise<void> {
  const { formerHeads, changes } = await markLive(write, memories, rev);
  await refreshStates(write, formerHeads, changes);
}

/**
 * Updates states and topics of restored memories, and the states of the memories that their edges point to.
 */
export async function applyRestoreEffects(write: Write, memories: readonly Memory[]): Promise<void> {
  await refreshStates(write, await statesAround(write, memories));
  await resolveMergesOf(write, memories);
}

async function markLive(write: Write, memories: readonly Memory[], rev: number) {
  const formerHeads = await headsOf(write, memories);
  const { changes, returned } = await claimNames(write, memories, rev);
  await write.tx.memories.restore(memories);
  for (const memory of returned) await changeMemory(write, memory, { name: null });
  return { formerHeads, changes };
}

/** Ids of the memories whose states may change: the restored ones and the targets of their edges. */
async function statesAround({ tx }: Write, memories: readonly Memory[]): Promise<string[]> {
  const touched = memories.map(({ id }) => id);
  for (const chunk of chunksOf(memories))
    touched.push(...(await tx.relationships.targetsOf(chunk.map(({ id }) => id))));
  return touched;
}

/** Topics may have been merged, or merges undone, while the memories were in the trash. */
async function resolveMergesOf(write: Write, memories: readonly Memory[]): Promise<void> {
  for (const chunk of chunksOf(memories))
    await resolveMerges(write, await write.tx.memories.findMany(chunk.map(({ id }) => id)));
}

/** The newest live versions of the chains of `memories`: a restored later version supersedes them. */
async function headsOf({ tx }: Write, memories: readonly Memory[]): Promise<string[]> {
  const chains = new Set(memories.flatMap(({ chainId }) => chainId ?? []));
  const heads: string[] = [];
  for (const chainId of chains) for (const { id } of await tx.memories.listChain(chainId, 1)) heads.push(id);
  return heads;
}

/**
 * Frees the names of `memories`. A head takes its name back from the version that got
 * it; a version that had the name of a head that is restored too leaves it to the head.
 */
async function claimNames(write: Write, memories: readonly Memory[], rev: number): Promise<Names> {
  const names: Names = { changes: new Map(), returned: [] };
  const inChains = memories.filter(({ chainId, name }) => chainId !== null || name !== null);
  for (const memory of inChains.toSorted((a, b) => (b.chainVersion ?? 0) - (a.chainVersion ?? 0))) {
    if (memory.name === null) await returnNameToSuccessor(write, memory, names);
    else await claimName(write, { memory, name: memory.name, rev }, names);
  }
  return names;
}

interface Claim {
  readonly memory: Memory;
  readonly name: string;
  readonly rev: number;
}

async function claimName(write: Write, { memory, name, rev }: Claim, names: Names): Promise<void> {
  const owner = await write.tx.memories.findByName(name);
  if (!owner) return;
  const older = (owner.chainVersion ?? 0) < (memory.chainVersion ?? 0);
  const sameChain = memory.chainId !== null && owner.chainId === memory.chainId;
  if (!sameChain || (!older && owner.seq > rev)) throw nameConflict();
  await changeMemory(write, owner, { name: null });
  if (older) return;
  names.returned.push(memory);
  names.changes.set(owner.id, { name });
}

/** Gives the chain's name to a restored version if it is the newest live one and the head is in the trash. */
async function returnNameToSuccessor(write: Write, memory: Memory, { changes }: Names): Promise<void> {
  const { tx } = write;
  const { id, chainId, chainVersion } = memory;
  if (chainId === null || chainVersion === null) return;
  const [owner] = await tx.memories.listChain(chainId, 1);
  if (!owner || owner.name === null || (owner.chainVersion ?? 0) > chainVersion) return;
  const { name } = owner;
  if (!(await tx.memories.hasTrashedSuccessorNamed(chainId, { name, afterVersion: chainVersion }))) return;
  await changeMemory(write, owner, { name: null });
  changes.set(id, { name });
}

/**
 * Removes the terms of versions erased in this transaction
 * from the vocabulary, unless other versions contain them.
 */
export async function forgetTermsOf({ tx, indexer }: Write, erased: readonly Memory[]): Promise<void> {
  if (erased.length > 0)
    await tx.eraser.forgetTerms(erased.flatMap((version) => indexer.memory(version).terms));
}
