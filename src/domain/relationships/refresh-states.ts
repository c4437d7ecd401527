import { chunksOf } from '../../lib/chunks.ts';
import { changeMemory } from '../memories/change-memory.ts';
import type { EffectiveState } from '../memories/memory.ts';
import type { MemoryChange } from '../memories/memory-store.ts';
import type { Write } from '../shared/write.ts';
import { effectiveStateOf } from './relationship.ts';

export interface ChangedState {
  readonly memoryId: string;
  readonly previousState: EffectiveState;
}

/**
 * Gives the live memories among `ids` the state that their incoming live edges call for, after edges or memories
 * came or went. `changes` are further changes of some of them, by id, written in the same version.
 * `updatedAt` stays: it tells of what the user stated, and state follows from edges.
 * @returns those that had another state
 */
export async function refreshStates(
  write: Write,
  ids: Iterable<string>,
  changes: ReadonlyMap<string, MemoryChange> = new Map(),
): Promise<ChangedState[]> {
  const { tx } = write;
  const changed: ChangedState[] = [];
  for (const chunk of chunksOf([...new Set([...ids, ...changes.keys()])])) {
    const incoming = await tx.relationships.incomingTypes(chunk);
    // In the order of writing: versions are numbered as they are made.
    for (const memory of (await tx.memories.findMany(chunk)).sort((a, b) => a.seq - b.seq)) {
      const change = changes.get(memory.id);
      const previousState = memory.effectiveState;
      const effectiveState = effectiveStateOf(incoming.get(memory.id) ?? []);
      if (effectiveState !== previousState) changed.push({ memoryId: memory.id, previousState });
      else if (!change) continue;
      await changeMemory(write, memory, { ...change, effectiveState });
    }
  }
  return changed;
}
