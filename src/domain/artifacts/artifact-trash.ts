import { ownerInTrash } from '../trash/owner-in-trash.ts';
import type { TrashHandler } from '../trash/trash-handler.ts';

/** An artifact. One that belongs to a memory or conversation comes back only where that is live. */
export const artifactTrash: TrashHandler = {
  async restore(write, { recordId }) {
    const { artifacts } = write.tx;
    await artifacts.restore(recordId);
    if (!(await artifacts.find(recordId))) {
      const { memoryId, conversationId } = await artifacts.ownersOf(recordId);
      const memoryIds = memoryId === null ? [] : [memoryId];
      throw await ownerInTrash(write, 'artifact', { memoryIds, conversationId });
    }
    return { artifacts: 1 };
  },
  async eraseStep({ tx }, { recordId }) {
    await tx.eraser.artifact(recordId);
    return false;
  },
};
