import { dropTitle } from '../conversations/follow-memories.ts';
import { editConflict } from '../shared/precondition.ts';
import type { TextVectors } from '../shared/text-indexer.ts';
import type { Write } from '../shared/write.ts';
import { resolveMerges } from '../topics/resolve-merges.ts';
import { changeMemory } from './change-memory.ts';
import { nameConflict, newChain } from './create-memory.ts';
import type { Memory } from './memory.ts';
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
export function realChanges(memory: Memory, change: MemoryChange): MemoryChange {
  const entries = Object.entries(change).filter(
    ([key, value]) => !isSame(memory[key as keyof Memory], value),
  );
  return Object.fromEntries(entries);
}

/**
 * Writes the fields of `change` that differ; writes nothing if none does.
 * @param vectors vectors of the text in `change`
 */
export async function applyChange(
  write: Write,
  memory: Memory,
  change: MemoryChange,
  vectors: readonly TextVectors[] = [],
): Promise<Memory> {
  const { tx, at } = write;
  const topics = change.topics && (await tx.topics.current(change.topics));
  const changes = realChanges(memory, topics ? { ...change, topics } : change);
  if (Object.keys(changes).length === 0) return memory;
  const changed = await changeMemory(
    write,
    changes.topics ? await assignTopics(write, memory, changes.topics) : memory,
    { ...changes, updatedAt: at },
    vectors,
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
