import type { Tool } from '../tool.ts';
import { createMemoryTool } from './create-memory.ts';
import { getMemoryTool } from './get-memory.ts';
import { getUserProfileTool } from './get-user-profile.ts';
import { initializeSessionTool } from './initialize-session.ts';
import { knowledgeGraphTool } from './knowledge-graph.ts';
import { manageMemoryTool } from './manage-memory.ts';
import { patternsTool } from './patterns.ts';
import { searchMemoriesTool } from './search-memories.ts';

/** Names that rule files of this API's clients tell agents to call; `recall` and `conversations` are names of ours too. */
export const knownNameTools: readonly Tool[] = [
  initializeSessionTool,
  createMemoryTool,
  manageMemoryTool,
  searchMemoriesTool,
  getMemoryTool,
  knowledgeGraphTool,
  patternsTool,
  getUserProfileTool,
];
