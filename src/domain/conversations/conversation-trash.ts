import { forgetTermsOf, restoreMemories } from '../memories/memories-in-trash.ts';
import type { Write } from '../shared/write.ts';
import type { TrashCounts, TrashEntry } from '../trash/trash.ts';
import type { TrashHandler } from '../trash/trash-handler.ts';

/**
 * Restores a conversation with the memories that were
 * deleted with it; those deleted before stay in the trash.
 */
export async function restoreConversation(write: Write, { recordId, rev }: TrashEntry): Promise<TrashCounts> {
  const { tx } = write;
  await tx.conversations.restore(recordId);
  const memories = await tx.memories.listTrashedWith(recordId);
  await restoreMemories(write, memories, rev);
  return { conversations: 1, memories: memories.length };
}

export const conversationTrash: TrashHandler = {
  restore: restoreConversation,
  async eraseStep(write, { recordId }) {
    const { more, versions } = await write.tx.eraser.conversation(recordId);
    await forgetTermsOf(write, versions);
    return more;
  },
};
