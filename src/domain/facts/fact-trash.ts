import type { TrashHandler } from '../trash/trash-handler.ts';

/** A fact. One that was drawn from memories is seen again once one of them is live. */
export const factTrash: TrashHandler = {
  async restore({ tx }, { recordId }) {
    await tx.facts.restore(recordId);
    return { facts: 1 };
  },
  async eraseStep({ tx }, { recordId }) {
    await tx.eraser.fact(recordId);
    return false;
  },
};
