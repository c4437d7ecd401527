import type { TrashHandler } from '../trash/trash-handler.ts';
import { undoMerge } from './merge-entities.ts';

/** Entities in the trash. A restored entity is visible while a live memory mentions it. */
export const entityTrash: TrashHandler = {
  async restore({ tx }, { recordId }) {
    await tx.entities.restore(recordId);
    return { entities: 1 };
  },
  // The row stays, hidden: derivation would otherwise find the entity again.
  async eraseStep({ tx }, { recordId }) {
    await tx.entities.erase(recordId);
    return false;
  },
};

/** Merges of entities in the trash: restoring one undoes the merge. */
export const entityMergeTrash: TrashHandler = {
  async restore(write, entry) {
    await undoMerge(write, entry);
    return { entities: 1 };
  },
  // A merge has no text of deleted memories: both names belong to the memories that mention them.
  eraseStep: async () => false,
};
