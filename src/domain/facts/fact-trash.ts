import { ownerInTrash, type TrashHandler } from '../trash/trash-handler.ts';

/**
 * Facts in the trash. A fact with sources is restored only if one
 * of them is live; it stays hidden until a live memory states it.
 */
export const factTrash: TrashHandler = {
  async restore(write, { recordId }) {
    const { facts } = write.tx;
    await facts.restore(recordId);
    if (await facts.find(recordId)) return { facts: 1 };
    const memoryIds = await facts.sourceIds(recordId);
    const live = await write.tx.memories.findMany(memoryIds);
    if (live.length === 0) throw await ownerInTrash(write, 'fact', { memoryIds });
    return { facts: 1 };
  },
  async eraseStep({ tx }, { recordId }) {
    await tx.facts.erase(recordId);
    return false;
  },
};
