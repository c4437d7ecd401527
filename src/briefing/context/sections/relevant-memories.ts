import { type Memory, orderTime } from '../../../domain/memories/memory.ts';
import type { UserRef } from '../../../domain/shared/user-ref.ts';
import type { BriefingDeps } from '../../briefing-deps.ts';
import { briefingSearch } from '../../briefing-search.ts';
import type { ContextMemory, ContextRequest } from '../context.ts';
import { namesFile, wordsOfPath } from '../file-names.ts';

const memoriesMax = 30;
const perFile = 5;
const filesMax = 20;
/** Beyond this a memory is cut: a long document would leave no room for others. */
const contentLengthMax = 1500;

/** What a search for the task finds, and what names the files; memories that name a file come first. */
export async function findRelevantMemories(
  { search }: BriefingDeps,
  user: UserRef,
  { context, files, scope }: ContextRequest,
): Promise<ContextMemory[]> {
  const searches = [
    search.search(user, briefingSearch(context, memoriesMax, { scope })),
    ...files.slice(0, filesMax).map((file) =>
      search.search(user, {
        ...briefingSearch(wordsOfPath(file), perFile, { scope }),
        method: 'keyword',
        context: false,
      }),
    ),
  ];
  const [ofTask, ...ofFiles] = await Promise.all(searches);
  const named = new Map<string, Memory>();
  for (const { hits } of ofFiles)
    for (const { memory } of hits)
      if (files.some((file) => namesFile(memory.content, file))) named.set(memory.id, memory);
  const memories = [...named.values(), ...ofTask.hits.map(({ memory }) => memory)];
  return [...new Map(memories.map((memory) => [memory.id, memory])).values()].map((memory) => ({
    id: memory.id,
    doc: memory.doc,
    content: memory.content.slice(0, contentLengthMax),
    at: orderTime(memory),
    files: files.filter((file) => namesFile(memory.content, file)),
  }));
}
