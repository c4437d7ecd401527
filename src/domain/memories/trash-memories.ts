import { chunksOf } from '../../lib/chunks.ts';
import { leaveConversations } from '../conversations/follow-memories.ts';
import { titleFrom } from '../conversations/place-memory.ts';
import { refreshStates } from '../relationships/relationship-service.ts';
import type { Write } from '../shared/write.ts';
import type { Memory } from './memory.ts';
import type { MemoryChange } from './memory-store.ts';

/**
 * Moves memories to the trash and updates the counts of their conversations and the states
 * of their edges' targets; the name of a trashed head returns to the newest version left.
 */
export async function trashMemories(write: Write, memories: readonly Memory[]): Promise<void> {
  const { tx, at } = write;
  await tx.memories.trash(memories, at);
  for (const { id, content } of memories) {
    const entry = {
      kind: 'memory',
      recordId: id,
      title: titleFrom(content),
      counts: { memories: 1 },
    } as const;
    await tx.trash.insert(entry, at);
  }
  await leaveConversations(write, memories);
  await applyTrashEffects(write, memories);
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
