import type { TrashHandler } from '../trash/trash-handler.ts';
import { undoMerge } from './merge-topics.ts';

/**
 * A merge of topics can be undone as long as it lies in the trash. What of a large one is left to move when the
 * transaction ends goes on with `TopicMergeService.finish`.
 */
export const topicMergeTrash: TrashHandler = {
  restore: async (write, { recordId }) => {
    const merge = await undoMerge(write, recordId);
    return { topics: 1, memories: merge.memoriesMoved };
  },
  // The source's name goes on as an alias of the target: nothing of a merge is text that somebody deleted.
  eraseStep: async () => false,
};
