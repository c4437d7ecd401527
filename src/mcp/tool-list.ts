import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import type { TObject } from 'typebox';
import { getUserProfileTool, knowledgeGraphTool, patternsTool } from './known-names/knowledge.ts';
import {
  createMemoryTool,
  getMemoryTool,
  initializeSessionTool,
  manageMemoryTool,
  searchMemoriesTool,
} from './known-names/memories.ts';
import type { Tool } from './tool.ts';
import { buildContextTool } from './tools/build-context.ts';
import { conversationsTool } from './tools/conversations.ts';
import { recentTool, searchTool, topicsTool } from './tools/find.ts';
import { getTool, namedTool } from './tools/get.ts';
import { recallTool } from './tools/recall.ts';
import { forgetTool, linkTool, rememberTool, updateTool } from './tools/write.ts';

/** All tools, in the order of the tool list. */
const tools: readonly Tool[] = [
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

/**
 * Tools under the names that rule files of this API's clients
 * use; `recall` and `conversations` are own names as well.
 */
const knownNameTools: readonly Tool[] = [
  initializeSessionTool,
  createMemoryTool,
  manageMemoryTool,
  searchMemoriesTool,
  getMemoryTool,
  knowledgeGraphTool,
  patternsTool,
  getUserProfileTool,
];

const all = [...tools, ...knownNameTools];
const byName = new Map(all.map((tool) => [tool.name, tool]));

export const toolNames: readonly string[] = tools.map(({ name }) => name);

/** The tool of this name: one of ours, or one under a name that agents of this API know, listed or not. */
export function findTool(name: string): Tool | undefined {
  return byName.get(name);
}

type JsonSchema = ListedTool['inputSchema'];

/** Bounds that an agent meets only by mistake: the call checks them, and its refusal says them in a sentence. */
const unlisted: ReadonlySet<string> = new Set([
  'rule',
  'pattern',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
]);

/** The schema for agents: members with a default are optional. */
function toJsonSchema({ required, ...schema }: TObject): JsonSchema {
  const plain = JSON.parse(JSON.stringify(schema, (key, value) => (unlisted.has(key) ? undefined : value)));
  const needed = (required as readonly string[] | undefined)?.filter(
    (name) => !('default' in schema.properties[name]),
  );
  return needed && needed.length > 0 ? { ...plain, required: needed } : plain;
}

/** Hints that differ from the defaults of the protocol; tools that only read need none of idempotence. */
function toListed({ name, title, description, input, scope, isDestructive }: Tool): ListedTool {
  const effect = scope === 'read' ? { readOnlyHint: true } : { destructiveHint: isDestructive };
  return {
    name,
    title,
    description,
    inputSchema: toJsonSchema(input),
    annotations: { ...effect, openWorldHint: false },
  };
}

const own = tools.map(toListed);
const withKnownNames = all.map((tool) => ({ ...toListed(tool), outputSchema: toJsonSchema(tool.output) }));

/**
 * Fewer tools are easier to choose from, so the known names are listed only on request. So are schemas of
 * answers: they serve a program that reads answers, and took half of the list of an agent.
 */
export function listTools(showsKnownNames: boolean): ListedTool[] {
  return showsKnownNames ? withKnownNames : own;
}
