import { type LanguageModelMiddleware, type Tool, tool } from 'ai';
import { z } from 'zod';
import { Client } from '../client.js';
import { recalled } from '../recall.js';

interface Options {
  /** Memories that are recalled; default 5. */
  readonly limit?: number;
  readonly minRelevance?: number;
}

export interface MemorydTools extends Record<string, Tool> {
  searchMemory: Tool<{ query: string }, string>;
  addMemory: Tool<{ content: string; topics?: string[] }, string>;
}

/** Tools of the AI SDK with which a model remembers and recalls. */
export const memorydTools = (
  client = new Client(),
  { limit = 5, minRelevance }: Options = {},
): MemorydTools => ({
  searchMemory: tool({
    description: 'Find what is known from earlier conversations: people, preferences, decisions.',
    inputSchema: z.object({ query: z.string().describe('What to look for, as a question or in keywords.') }),
    execute: async ({ query }) =>
      recalled(await client.search(query, { limit, minRelevance })) || 'Nothing is known about that.',
  }),
  addMemory: tool({
    description: 'Store something that will matter later.',
    inputSchema: z.object({
      content: z.string().describe('One statement that can be understood by itself, with names and dates.'),
      topics: z.array(z.string()).optional(),
    }),
    execute: async ({ content, topics }) => `Stored as ${(await client.add(content, { topics })).id}.`,
  }),
});

/** Middleware for `wrapLanguageModel`: puts what fits the last message of the user before it, fenced as data. */
export function memorydMiddleware(
  client = new Client(),
  { limit = 5, minRelevance }: Options = {},
): LanguageModelMiddleware {
  return {
    specificationVersion: 'v4',
    transformParams: async ({ params }) => {
      const at = params.prompt.findLastIndex(({ role }) => role === 'user');
      const asked = params.prompt[at];
      if (asked?.role !== 'user') return params;
      const query = asked.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
      const text = query.trim() && recalled(await client.search(query, { limit, minRelevance }));
      if (!text) return params;
      const known = { ...asked, content: [{ type: 'text' as const, text }, ...asked.content] };
      return { ...params, prompt: params.prompt.with(at, known) };
    },
  };
}
