import { ownerInTrash, type TrashHandler } from '../trash/trash-handler.ts';

/** Artifacts in the trash. An artifact of a memory or conversation is restored only if that is live. */
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
    await tx.artifacts.erase(recordId);
    return false;
  },
};
