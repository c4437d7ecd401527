import type { TrashHandler } from '../trash/trash-handler.ts';

/** An artifact. One that belongs to a memory or conversation is seen again once that is live. */
export const artifactTrash: TrashHandler = {
  async restore({ tx }, { recordId }) {
    await tx.artifacts.restore(recordId);
    return { artifacts: 1 };
  },
  async eraseStep({ tx }, { recordId }) {
    await tx.eraser.artifact(recordId);
    return false;
  },
};
