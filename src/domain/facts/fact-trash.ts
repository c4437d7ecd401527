import { ownerInTrash } from '../trash/owner-in-trash.ts';
import type { TrashHandler } from '../trash/trash-handler.ts';

/** A fact. One that was drawn from memories comes back only where one of them is live. */
export const factTrash: TrashHandler = {
  async restore(write, { recordId }) {
    const { facts } = write.tx;
    await facts.restore(recordId);
    if (!(await facts.find(recordId)))
      throw await ownerInTrash(write, 'fact', { memoryIds: await facts.sourceIds(recordId) });
    return { facts: 1 };
  },
  async eraseStep({ tx }, { recordId }) {
    await tx.eraser.fact(recordId);
    return false;
  },
};
