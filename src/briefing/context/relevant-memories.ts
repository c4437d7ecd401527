import { type Memory, orderTime } from '../../domain/memories/memory.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import { Breather } from '../../lib/loop-time.ts';
import { type BriefingDeps, briefingSearch } from '../briefing-deps.ts';
import type { ContextMemory, ContextRequest } from './context.ts';

const memoriesMax = 30;
const perFile = 5;
const filesMax = 20;
/** Beyond this a memory is cut: a long document would leave no room for others. */
const contentLengthMax = 1500;

/** Results of a search for the task and for the file names; memories that name a file come first. */
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
  const spellings = files.map((file) => ({ file, words: spellingsOf(file) }));
  const breather = new Breather();
  const named = new Map<string, ContextMemory>();
  const others = new Map<string, ContextMemory>();
  for (const hits of [...ofFiles.map((found) => found.hits), ofTask.hits])
    for (const { memory } of hits) {
      const pause = breather.pause();
      if (pause) await pause;
      const text = memory.content.toLowerCase();
      const own = spellings.filter(({ words }) => words.some((word) => text.includes(word)));
      const found = toContextMemory(
        memory,
        own.map(({ file }) => file),
      );
      if (hits === ofTask.hits) others.set(memory.id, found);
      else if (own.length > 0) named.set(memory.id, found);
    }
  return [...new Map([...named, ...others]).values()];
}

const toContextMemory = (memory: Memory, files: readonly string[]): ContextMemory => ({
  id: memory.id,
  doc: memory.doc,
  content: memory.content.slice(0, contentLengthMax),
  at: orderTime(memory),
  files,
});

const separators = /[\\/]/;

/** The last part of a path: `retry.ts` of `src/queue/retry.ts`. */
function baseName(path: string): string {
  return path.split(separators).filter(Boolean).at(-1) ?? path;
}

/**
 * The name without its extension, split into words: `parse order`
 * of `src/parseOrder.ts`; with the folder's name if it is short.
 */
function partsOf(path: string): string[] {
  const stem = baseName(path).replace(/(?!^)\.[^.]*$/, '');
  return stem
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part.length > 1)
    .map((part) => part.toLowerCase());
}

/** The query for a path: the whole path, its last part and the words of that. */
function wordsOfPath(path: string): string {
  return [...new Set([path, baseName(path), ...partsOf(path)])].join(' ');
}

/** Spellings of a path in lower case: the whole, its last part, and all words of a name of at least two. */
function spellingsOf(path: string): string[] {
  const parts = partsOf(path);
  const joined = parts.length > 1 ? [' ', '-', '_', ''].map((between) => parts.join(between)) : [];
  return [path.toLowerCase(), baseName(path).toLowerCase(), ...joined];
}
