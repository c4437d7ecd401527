import { AppError, invalidInput, notFound } from '../shared/errors.ts';
import type { TextVectors } from '../shared/text-indexer.ts';
import type { Write } from '../shared/write.ts';
import { normaliseTopicName, uniqueTopics } from '../topics/topic.ts';
import { topicsMax } from './limits.ts';
import type { Memory } from './memory.ts';
import type { MemoryInput } from './memory-input.ts';
import { applyChange, updateMemory } from './update-memory.ts';

export interface BulkError {
  readonly id: string;
  readonly error: string;
}

/** Every requested id (duplicates counted once) is either counted in `done` or listed in `errors`. */
export interface BulkResult {
  readonly done: number;
  readonly errors: readonly BulkError[];
}

/**
 * Calls `act` for every memory among `ids`. A client error fails that one
 * item; any other error fails the whole call, and nothing is written.
 */
export async function forEachMemory(
  { tx }: Write,
  ids: readonly string[],
  act: (memory: Memory) => Promise<unknown>,
): Promise<BulkResult> {
  const requested = [...new Set(ids)];
  const found = new Map((await tx.memories.findMany(requested)).map((memory) => [memory.id, memory]));
  const errors: BulkError[] = [];
  for (const id of requested) {
    try {
      const memory = found.get(id);
      if (!memory) throw notFound('memory');
      await act(memory);
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      errors.push({ id, error: error.message });
    }
  }
  return { done: requested.length - errors.length, errors };
}

export interface TagChange {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** The topics after removing `remove` and then adding `add`. @throws 422 if there are too many */
export function retagged(topics: readonly string[], { add, remove }: TagChange): string[] {
  const removed = new Set(remove.map(normaliseTopicName));
  const kept = topics.filter((name) => !removed.has(normaliseTopicName(name)));
  const next = uniqueTopics([...kept, ...add]);
  if (next.length > topicsMax) throw invalidInput('topics', `must have at most ${topicsMax} items`);
  return next;
}

export async function bulkTag(write: Write, ids: readonly string[], change: TagChange): Promise<BulkResult> {
  const { topics } = write.tx;
  const now = { add: await topics.current(change.add), remove: await topics.current(change.remove) };
  return forEachMemory(write, ids, async (memory) =>
    applyChange(write, memory, { topics: retagged(await topics.current(memory.topics), now) }),
  );
}

/**
 * Applies the same change to every memory; an item fails alone if the change conflicts with its other fields.
 */
export function bulkUpdate(
  write: Write,
  ids: readonly string[],
  input: Omit<MemoryInput, 'name'>,
  vectors: readonly TextVectors[],
): Promise<BulkResult> {
  return forEachMemory(write, ids, (memory) => updateMemory(write, memory, input, vectors));
}
