import { restoreConversation } from '../conversations/conversation-trash.ts';
import { titleFrom } from '../conversations/place-memory.ts';
import { trashEntryNotFound } from '../shared/errors.ts';
import type { Write } from '../shared/write.ts';
import { addCounts, type TrashCounts } from '../trash/trash.ts';
import type { TrashHandler } from '../trash/trash-handler.ts';
import { restoreMemories } from './restore-memories.ts';

/** A conversation that was named after erased text is named after its first memory that is left. */
async function renameConversation(
  { tx }: Write,
  conversationId: string,
  erased: { readonly id: string; readonly contents: readonly string[] },
): Promise<void> {
  const title = await tx.conversations.titleOf(conversationId);
  if (title === undefined || !erased.contents.some((content) => titleFrom(content) === title)) return;
  const first = await tx.memories.firstContent(conversationId, erased.id);
  await tx.conversations.retitle(conversationId, titleFrom(first ?? ''));
}

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
    await tx.conversations.returnMemories(conversationId, 1);
    return addCounts(along, { memories: 1 });
  },

  async eraseStep(write, { recordId }) {
    const { more, conversationId, contents } = await write.tx.eraser.memory(recordId);
    if (conversationId) await renameConversation(write, conversationId, { id: recordId, contents });
    return more;
  },
};
