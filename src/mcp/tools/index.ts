import type { Tool } from '../tool.ts';
import { buildContextTool } from './build-context.ts';
import { conversationsTool } from './conversations.ts';
import { forgetTool } from './forget.ts';
import { getTool } from './get.ts';
import { linkTool } from './link.ts';
import { namedTool } from './named.ts';
import { recallTool } from './recall.ts';
import { recentTool } from './recent.ts';
import { rememberTool } from './remember.ts';
import { searchTool } from './search.ts';
import { topicsTool } from './topics.ts';
import { updateTool } from './update.ts';

/** All tools, in the order of the tool list. */
export const tools: readonly Tool[] = [
  recallTool,
  buildContextTool,
  searchTool,
  rememberTool,
  getTool,
  recentTool,
  updateTool,
  linkTool,
  forgetTool,
  conversationsTool,
  namedTool,
  topicsTool,
];
