import { groupBy } from '../../lib/collections.ts';
import { restoreConversation } from '../conversations/conversation-trash.ts';
import { dropTitle, returnToConversation } from '../conversations/place-memory.ts';
import { notFound } from '../shared/errors.ts';
import type { Write } from '../shared/write.ts';
import { addCounts, type TrashCounts, type TrashEntry } from '../trash/trash.ts';
import type { TrashHandler } from '../trash/trash-handler.ts';
import { forgetTermsOf, restoreMemories } from './memories-in-trash.ts';

/**
 * Restores memories that were deleted on their own, and those of their conversations that were deleted afterwards.
 * @throws 404 if one is not in the trash, or is being erased; 409 if a name is taken
 */
export async function restoreDeleted(
  write: Write,
  entries: readonly Pick<TrashEntry, 'recordId' | 'rev'>[],
): Promise<TrashCounts> {
  const { tx } = write;
  const revs = new Map(entries.map(({ recordId, rev }) => [recordId, rev]));
  const memories = await tx.memories.findTrashed([...revs.keys()]);
  if (memories.length < revs.size) throw notFound('trash_entry');
  let along: TrashCounts = {};
  for (const conversationId of new Set(memories.map((memory) => memory.conversationId))) {
    const deleted = await tx.trash.findByRecord('conversation', conversationId);
    // A conversation that is neither live nor in the trash is being erased, and its memories with it.
    if (!deleted && !(await tx.conversations.find(conversationId))) throw notFound('trash_entry');
    if (!deleted) continue;
    along = addCounts(along, await restoreConversation(write, deleted));
    await tx.trash.remove(deleted.id);
  }
  for (const [rev, deletedAt] of groupBy(memories, ({ id }) => revs.get(id) ?? 0))
    await restoreMemories(write, deletedAt, rev);
  for (const memory of memories) await returnToConversation(write, memory);
  return addCounts(along, { memories: memories.length });
}

/** Memories that were deleted on their own. */
export const memoryTrash: TrashHandler = {
  restore: (write, entry) => restoreDeleted(write, [entry]),

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
