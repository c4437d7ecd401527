import type { TrashHandler } from '../trash/trash-handler.ts';

/** Threads in the trash; their memories are separate records. */
export const narrativeTrash: TrashHandler = {
  async restore({ tx }, { recordId }) {
    await tx.narratives.restore(recordId);
    return { narratives: 1 };
  },
  async eraseStep({ tx }, { recordId }) {
    await tx.narratives.erase(recordId);
    return false;
  },
};
