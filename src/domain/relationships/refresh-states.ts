import { chunksOf } from '../../lib/chunks.ts';
import type { Memory } from '../memories/memory.ts';
import type { MemoryChange } from '../memories/memory-store.ts';
import type { Write } from '../shared/write.ts';
import { effectiveStateOf } from './relationship.ts';

/**
 * Gives the live memories among `ids` the state that their incoming live edges call for, after edges or memories
 * came or went. `changes` are further changes of some of them, by id, written in the same version.
 * `updatedAt` stays: it tells of what the user stated, and state follows from edges.
 */
export async function refreshStates(
  write: Write,
  ids: Iterable<string>,
  changes: ReadonlyMap<string, MemoryChange> = new Map(),
): Promise<void> {
  const all = [...new Set([...ids, ...changes.keys()])];
  for (const chunk of chunksOf(all)) {
    for (const memory of await write.tx.memories.findMany(chunk))
      await refreshState(write, memory, changes.get(memory.id));
  }
}

async function refreshState(
  { tx, at }: Write,
  memory: Memory,
  change: MemoryChange | undefined,
): Promise<void> {
  const effectiveState = effectiveStateOf(await tx.relationships.incomingTypes(memory.id));
  if (!change && effectiveState === memory.effectiveState) return;
  await tx.memories.change(memory, { ...change, effectiveState }, at);
}
