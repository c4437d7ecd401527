import type { Route } from '../../route-plugin.ts';
import { appendNamedMemory } from './append-named-memory.ts';
import { bulkDeleteMemories } from './bulk-delete-memories.ts';
import { bulkTagMemories } from './bulk-tag-memories.ts';
import { bulkUpdateMemories } from './bulk-update-memories.ts';
import { createMemory } from './create-memory.ts';
import { deleteMemory } from './delete-memory.ts';
import { exportMemories } from './export-memories.ts';
import { getConversationMemories } from './get-conversation-memories.ts';
import { getMemoriesBatch } from './get-memories-batch.ts';
import { getMemoriesStats } from './get-memories-stats.ts';
import { getMemoryById } from './get-memory-by-id.ts';
import { getMemoryByName } from './get-memory-by-name.ts';
import { getMemoryTimeline } from './get-memory-timeline.ts';
import { getNamedMemoryHistory } from './get-named-memory-history.ts';
import { getRelatedMemories } from './get-related-memories.ts';
import { getSimilarMemories } from './get-similar-memories.ts';
import { listMemories } from './list-memories.ts';
import { recordSearchFeedback } from './search/record-search-feedback.ts';
import { searchMemories } from './search/search-memories.ts';
import { searchMemoriesGet } from './search/search-memories-get.ts';
import { updateMemory } from './update-memory.ts';
import { updateNamedMemory } from './update-named-memory.ts';

export const memoryRoutes: readonly Route[] = [
  createMemory,
  listMemories,
  searchMemoriesGet,
  searchMemories,
  recordSearchFeedback,
  getMemoriesStats,
  exportMemories,
  getMemoryById,
  updateMemory,
  deleteMemory,
  getConversationMemories,
  getMemoryTimeline,
  getRelatedMemories,
  getSimilarMemories,
  getMemoriesBatch,
  bulkDeleteMemories,
  bulkTagMemories,
  bulkUpdateMemories,
  getMemoryByName,
  updateNamedMemory,
  appendNamedMemory,
  getNamedMemoryHistory,
];
