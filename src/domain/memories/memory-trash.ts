import { restoreConversation } from '../conversations/conversation-trash.ts';
import { dropTitle, returnToConversation } from '../conversations/follow-memories.ts';
import { trashEntryNotFound } from '../shared/errors.ts';
import { addCounts, type TrashCounts } from '../trash/trash.ts';
import type { TrashHandler } from '../trash/trash-handler.ts';
import { forgetTermsOf } from './forget-terms.ts';
import { restoreMemories } from './restore-memories.ts';

/** A memory deleted by itself. Where its conversation was deleted after it, that comes back as well. */
export const memoryTrash: TrashHandler = {
  async restore(write, { recordId, rev }): Promise<TrashCounts> {
    const { tx } = write;
    const [memory] = await tx.memories.findTrashed([recordId]);
    if (!memory) throw trashEntryNotFound();
    const { conversationId } = memory;
    const deleted = await tx.trash.findByRecord('conversation', conversationId);
    // A conversation that is neither live nor to be restored is being erased, and this memory with it.
    if (!deleted && !(await tx.conversations.find(conversationId))) throw trashEntryNotFound();
    const along = deleted ? await restoreConversation(write, deleted) : {};
    if (deleted) await tx.trash.remove(deleted.id);
    await restoreMemories(write, [memory], rev);
    await returnToConversation(write, memory);
    return addCounts(along, { memories: 1 });
  },

  async eraseStep(write, { recordId }) {
    const { more, conversationId, versions } = await write.tx.eraser.memory(recordId);
    await forgetTermsOf(write, versions);
    // In stores from before titles followed memories, one may still be the text that is erased.
    if (conversationId)
      await dropTitle(
        write,
        conversationId,
        versions.map(({ content }) => content),
      );
    return more;
  },
};
