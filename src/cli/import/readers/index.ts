import { claudeCode } from './agents/claude-code.ts';
import { codex } from './agents/codex.ts';
import { chatgpt } from './chatgpt/chatgpt.ts';
import { claude } from './claude/claude.ts';
import { cogx } from './graphs/cogx.ts';
import { graphiti } from './graphs/graphiti.ts';
import { markdown } from './markdown/markdown.ts';
import { csv } from './plain/csv.ts';
import { jsonl } from './plain/jsonl.ts';
import { memorydLines } from './plain/memoryd-lines.ts';
import { messages } from './plain/messages.ts';
import { pastedList } from './plain/pasted-list.ts';
import type { Input, Reader } from './reader.ts';
import { archive } from './services/archive.ts';
import { hindsight } from './services/hindsight.ts';
import { langgraph } from './services/langgraph.ts';
import { letta } from './services/letta.ts';
import { mcpMemoryService } from './services/mcp-memory-service.ts';
import { mem0 } from './services/mem0.ts';
import { serverMemory } from './services/server-memory.ts';

/** All formats, asked in this order; those of a particular tool come before plain files. */
export const readers: readonly Reader[] = [
  memorydLines,
  claudeCode,
  codex,
  archive,
  chatgpt,
  claude,
  mem0,
  serverMemory,
  mcpMemoryService,
  letta,
  langgraph,
  hindsight,
  cogx,
  graphiti,
  pastedList,
  markdown,
  messages,
  csv,
  jsonl,
];

/** The reader of `--as`, or the first that recognises the input. */
export async function readerOf(input: Input, as: string | undefined): Promise<Reader | undefined> {
  if (as !== undefined) return readers.find(({ format }) => format === as);
  for (const reader of readers) if (await reader.recognises(input)) return reader;
  return undefined;
}
