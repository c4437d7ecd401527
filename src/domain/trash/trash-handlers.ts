import { artifactTrash } from '../artifacts/artifact-trash.ts';
import { communityMergeTrash } from '../communities/merge-communities.ts';
import { conversationTrash } from '../conversations/conversation-trash.ts';
import { entityMergeTrash, entityTrash } from '../entities/entity-trash.ts';
import { factTrash } from '../facts/fact-trash.ts';
import { memoryTrash } from '../memories/memory-trash.ts';
import { narrativeTrash } from '../narratives/narrative-trash.ts';
import { topicMergeTrash } from '../topics/topic-merge-trash.ts';
import type { TrashKind } from './trash.ts';
import type { TrashHandler } from './trash-handler.ts';

/** Every kind of record that can be deleted has its handler here. */
export const trashHandlers: Readonly<Record<TrashKind, TrashHandler>> = {
  memory: memoryTrash,
  conversation: conversationTrash,
  fact: factTrash,
  artifact: artifactTrash,
  narrative: narrativeTrash,
  'topic-merge': topicMergeTrash,
  'community-merge': communityMergeTrash,
  entity: entityTrash,
  'entity-merge': entityMergeTrash,
};
