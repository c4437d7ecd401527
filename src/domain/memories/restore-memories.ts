import { chunksOf } from '../../lib/chunks.ts';
import { refreshStates } from '../relationships/refresh-states.ts';
import type { Write } from '../shared/write.ts';
import { resolveMerges } from '../topics/resolve-merges.ts';
import { changeMemory } from './change-memory.ts';
import { nameConflict } from './create-memory.ts';
import type { Memory } from './memory.ts';
import type { MemoryChange } from './memory-store.ts';

interface Names {
  /** Changes of names to apply once the memories are live. */
  readonly changes: Map<string, MemoryChange>;
  /** Memories that lose a name which they had instead of a trashed version. */
  readonly returned: Memory[];
}

/**
 * Takes memories out of the trash with all that follows, their conversations aside: names, the states of what their
 * edges point to and of themselves, and topics.
 * @param rev the user's revision when they were deleted
 * @throws 409 where another memory or a later version has the name of one
 */
export async function restoreMemories(write: Write, memories: readonly Memory[], rev: number): Promise<void> {
  const { formerHeads, changes } = await markLive(write, memories, rev);
  const touched = [...formerHeads, ...(await statesAround(write, memories))];
  await refreshStates(write, touched, changes);
  await resolveMergesOf(write, memories);
}

/** The first half, for some of many that come back together: `applyRestoreEffects` follows once all of them are live. */
export async function returnMemories(write: Write, memories: readonly Memory[], rev: number): Promise<void> {
  const { formerHeads, changes } = await markLive(write, memories, rev);
  await refreshStates(write, formerHeads, changes);
}

/** Gives memories that are live again, and those that their edges point to, the states and topics that follow. */
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

/** Memories whose states follow from these being live: themselves, and what their edges point to. */
async function statesAround({ tx }: Write, memories: readonly Memory[]): Promise<string[]> {
  const touched = memories.map(({ id }) => id);
  for (const chunk of chunksOf(memories))
    touched.push(...(await tx.relationships.targetsOf(chunk.map(({ id }) => id))));
  return touched;
}

/** Topics may have been merged while the memories were in the trash, or merges undone. */
async function resolveMergesOf(write: Write, memories: readonly Memory[]): Promise<void> {
  for (const chunk of chunksOf(memories))
    await resolveMerges(write, await write.tx.memories.findMany(chunk.map(({ id }) => id)));
}

/** The newest live versions of the chains of `memories`: a later one that comes back makes them superseded. */
async function headsOf({ tx }: Write, memories: readonly Memory[]): Promise<string[]> {
  const chains = new Set(memories.flatMap(({ chainId }) => chainId ?? []));
  const heads: string[] = [];
  for (const chainId of chains) for (const { id } of await tx.memories.listChain(chainId, 1)) heads.push(id);
  return heads;
}

/**
 * Makes the names of `memories` free. A head takes its name back from the version that got it; a version that
 * had got it from a head that is restored leaves it there.
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

/** Gives the name of the chain to a restored version that is the newest live one, while the head is in the trash. */
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
