import type { Route } from '../../route-plugin.ts';
import { createConversation } from './create-conversation.ts';
import { deleteConversation } from './delete-conversation.ts';
import { findConversationsByTopic } from './find-conversations-by-topic.ts';
import { getConversation } from './get-conversation.ts';
import { getConversationTimeline } from './get-conversation-timeline.ts';
import { listConversations } from './list-conversations.ts';
import { searchConversations } from './search-conversations.ts';

export const conversationRoutes: readonly Route[] = [
  listConversations,
  createConversation,
  getConversation,
  deleteConversation,
  getConversationTimeline,
  searchConversations,
  findConversationsByTopic,
];
