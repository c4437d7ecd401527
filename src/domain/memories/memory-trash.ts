import { restoreConversation } from '../conversations/conversation-trash.ts';
import { dropTitle, returnToConversation } from '../conversations/place-memory.ts';
import { notFound } from '../shared/errors.ts';
import { addCounts, type TrashCounts } from '../trash/trash.ts';
import type { TrashHandler } from '../trash/trash-handler.ts';
import { forgetTermsOf, restoreMemories } from './memories-in-trash.ts';

/**
 * Memories that were deleted on their own. If the conversation
 * was deleted afterwards, it is restored as well.
 */
export const memoryTrash: TrashHandler = {
  async restore(write, { recordId, rev }): Promise<TrashCounts> {
    const { tx } = write;
    const [memory] = await tx.memories.findTrashed([recordId]);
    if (!memory) throw notFound('trash_entry');
    const { conversationId } = memory;
    const deleted = await tx.trash.findByRecord('conversation', conversationId);
    // A conversation that is neither live nor in the trash is being erased, and this memory with it.
    if (!deleted && !(await tx.conversations.find(conversationId))) throw notFound('trash_entry');
    const along = deleted ? await restoreConversation(write, deleted) : {};
    if (deleted) await tx.trash.remove(deleted.id);
    await restoreMemories(write, [memory], rev);
    await returnToConversation(write, memory);
    return addCounts(along, { memories: 1 });
  },

  async eraseStep(write, { recordId }) {
    const { more, conversationId, versions } = await write.tx.eraser.memory(recordId);
    await forgetTermsOf(write, versions);
    // In older stores, whose titles did not follow memories, the title may still be the erased text.
    if (conversationId)
      await dropTitle(
        write,
        conversationId,
        versions.map(({ content }) => content),
      );
    return more;
  },
};
