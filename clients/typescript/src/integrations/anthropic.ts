import { betaMemoryTool, type MemoryToolHandlers } from '@anthropic-ai/sdk/helpers/beta/memory';
import { Client } from '../client.js';
import { Documents } from '../documents.js';
import { MemoryFiles } from '../files.js';

/** What `betaMemoryTool` and the memory tool of the AI SDK call: files below /memories, each with its versions. */
export function memoryHandlers(client = new Client(), space = 'files'): MemoryToolHandlers {
  const files = new MemoryFiles(new Documents(client, space));
  return {
    view: ({ path, view_range }) => files.view(path, view_range),
    create: ({ path, file_text }) => files.create(path, file_text),
    str_replace: ({ path, old_str, new_str }) => files.strReplace(path, old_str, new_str),
    insert: ({ path, insert_line, insert_text }) => files.insert(path, insert_line, insert_text),
    delete: ({ path }) => files.delete(path),
    rename: ({ old_path, new_path }) => files.rename(old_path, new_path),
  };
}

/** The memory tool of Anthropic; a delete goes to the trash. */
export const memorydMemoryTool = (client?: Client, space?: string) =>
  betaMemoryTool(memoryHandlers(client, space));
