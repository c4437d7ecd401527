import { dropTitle } from '../conversations/place-memory.ts';
import { AppError, invalidInput, notFound } from '../shared/errors.ts';
import type { TextVectors } from '../shared/text-indexer.ts';
import { authorOf, editConflict, type Write } from '../shared/write.ts';
import { resolveMerges } from '../topics/merge-topics.ts';
import { normaliseTopicName, uniqueTopics } from '../topics/topic.ts';
import { changeMemory } from './change-memory.ts';
import { nameConflict, newChain } from './create-memory.ts';
import { contentOf, type Memory, type MemoryContent, topicsMax } from './memory.ts';
import { assertName, assertValidity, checkedFields, type MemoryInput } from './memory-input.ts';
import type { MemoryChange, MemoryReader } from './memory-store.ts';

/** The `rev`s that an edit may start from; undefined allows any. */
export type ExpectedRevs = readonly number[] | undefined;

/** @throws 412 */
export function assertRev(memory: Memory, expected: ExpectedRevs): void {
  if (!expected || expected.includes(memory.rev)) return;
  throw editConflict();
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

/** The fields of `change` that differ from `memory`. */
function realChanges(memory: Memory, change: MemoryChange): MemoryChange {
  const entries = Object.entries(change).filter(
    ([key, value]) => !isSame(memory[key as keyof Memory], value),
  );
  return Object.fromEntries(entries);
}

/**
 * Writes the fields of `change` that differ; writes nothing if none does.
 * @param vectors vectors of the text in `change`
 */
async function applyChange(
  write: Write,
  memory: Memory,
  change: MemoryChange,
  vectors: readonly TextVectors[] = [],
  importId?: string,
): Promise<Memory> {
  const { tx, at } = write;
  const topics = change.topics && (await tx.topics.current(change.topics));
  const changes = realChanges(memory, topics ? { ...change, topics } : change);
  if (Object.keys(changes).length === 0) return memory;
  const changed = await changeMemory(
    write,
    changes.topics ? await assignTopics(write, memory, changes.topics) : memory,
    { ...changes, createdBy: authorOf(write, importId), updatedAt: at },
    vectors,
    importId,
  );
  if (changes.content !== undefined) await dropTitle(write, memory.conversationId, [memory.content]);
  return changed;
}

/** @returns the memory with its topics after merges, which a running merge may not have applied to it yet */
async function assignTopics(write: Write, memory: Memory, topics: readonly string[]): Promise<Memory> {
  const [resolved = memory] = await resolveMerges(write, [memory]);
  await write.tx.topics.assign(memory.id, topics, write.at);
  return resolved;
}

/**
 * The change that names `memory`, or removes its name if `name` is empty. @throws 409 if the name is taken
 */
async function nameChange({ tx }: Write, memory: Memory, name: string): Promise<MemoryChange> {
  if (name === '') return { name: null };
  const owner = await tx.memories.findByName(name);
  if (owner && owner.id !== memory.id) throw nameConflict();
  if (owner || (await isHeadOfChain(tx.memories, memory))) return { name };
  // A name given to an older version of a chain must not apply to that chain's newer ones.
  return { name, ...newChain() };
}

async function isHeadOfChain(memories: MemoryReader, memory: Memory): Promise<boolean> {
  if (memory.chainId === null) return false;
  const [head] = await memories.listChain(memory.chainId, 1);
  return head?.id === memory.id;
}

/**
 * Applies the stated fields; writes nothing if they have these values already. An empty name removes it.
 * @param vectors vectors of the text in `input`, if it has one
 * @throws 409 if the name is taken; 422 if a field is invalid
 */
export async function updateMemory(
  write: Write,
  memory: Memory,
  input: MemoryInput,
  vectors: readonly TextVectors[],
): Promise<Memory> {
  const { name, ...rest } = input;
  if (name) assertName(name);
  const fields = checkedFields(rest);
  assertValidity({ ...memory, ...fields });
  const naming = name === undefined ? {} : await nameChange(write, memory, name ?? '');
  return applyChange(write, memory, { ...fields, ...naming }, vectors);
}

/**
 * Gives a memory all fields of `content` but the name, as an import does.
 * @param version.vectors vectors of its text
 */
export function replaceContent(
  write: Write,
  memory: Memory,
  content: MemoryContent,
  { vectors, importId }: { readonly vectors: readonly TextVectors[]; readonly importId?: string },
): Promise<Memory> {
  const { name: _, ...change } = contentOf(content);
  return applyChange(write, memory, change, vectors, importId);
}

interface BulkError {
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
