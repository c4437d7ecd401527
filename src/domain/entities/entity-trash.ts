import type { TrashHandler } from '../trash/trash-handler.ts';
import { undoMerge } from './merge-entities.ts';

/** An entity; it is seen again as long as a live memory mentions it. */
export const entityTrash: TrashHandler = {
  async restore({ tx }, { recordId }) {
    await tx.entities.restore(recordId);
    return { entities: 1 };
  },
  // The row stays, hidden: derivation would otherwise find the entity again.
  async eraseStep({ tx }, { recordId }) {
    await tx.eraser.entity(recordId);
    return false;
  },
};

/** A merge of entities can be undone as long as it lies in the trash. */
export const entityMergeTrash: TrashHandler = {
  async restore(write, entry) {
    await undoMerge(write, entry);
    return { entities: 1 };
  },
  // The names of both stay with the memories that mention them: nothing of a merge is text that somebody deleted.
  eraseStep: async () => false,
};
