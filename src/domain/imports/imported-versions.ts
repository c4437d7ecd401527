import { statesTheSame } from '../memories/import-again.ts';
import type { Memory } from '../memories/memory.ts';
import { replaceContent } from '../memories/update-memory.ts';
import type { Write } from '../shared/write.ts';

/** Memories of one transaction: a text that is long takes some milliseconds. */
export const changedAtOnce = 8;

/** The result for a memory that an import had changed; `edited`: something else was written over it since. */
export type Outcome = 'done' | 'before' | 'edited';

/** Gives a memory that an import changed the fields that it had before. A new version has them. */
export const takeBack: Turn = (write, importId, memory) =>
  turn(write, { importId, memory, order: (before, imported) => [imported, before] });

/** The opposite of `takeBack`, for a memory that is as that left it. */
export const bringBack: Turn = (write, importId, memory) =>
  turn(write, { importId, memory, order: (before, imported) => [before, imported] });

type Turn = (write: Write, importId: string, memory: Memory) => Promise<Outcome>;

interface Turning {
  readonly importId: string;
  readonly memory: Memory;
  /** The version that the memory must be like, and the one that it gets the fields of. */
  readonly order: (before: Memory, imported: Memory) => readonly [from: Memory, to: Memory];
}

async function turn(write: Write, { importId, memory, order }: Turning): Promise<Outcome> {
  const { own, before } = await write.tx.imports.versionsOf(importId, memory.seq);
  const imported = await otherThan(write, before, own);
  if (!before || !imported) return 'before';
  const [from, to] = order(before, imported);
  if (await statesTheSame(write, memory, to)) return 'before';
  if (!(await statesTheSame(write, memory, from))) return 'edited';
  await give(write, memory, to, importId);
  return 'done';
}

/** The newest version that an import wrote of a record, not of taking it back. */
async function otherThan(
  write: Write,
  before: Memory | undefined,
  own: readonly Memory[],
): Promise<Memory | undefined> {
  for (const version of own) if (before && !(await statesTheSame(write, version, before))) return version;
  return undefined;
}

/** The version counts as one of the import: the next one with this record then finds it as it was imported. */
async function give(write: Write, memory: Memory, fields: Memory, importId: string): Promise<void> {
  const vectors = memory.content === fields.content ? [] : write.indexer.vectors(fields.content);
  await replaceContent(write, memory, fields, { vectors, importId });
}
