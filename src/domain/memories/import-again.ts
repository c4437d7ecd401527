import { isDeepStrictEqual } from 'node:util';
import type { Write } from '../shared/write.ts';
import type { CreatedMemory, PreparedCreate } from './create-memory.ts';
import type { Memory, MemoryContent } from './memory.ts';
import { replaceContent } from './update-memory.ts';

/** Fields that an import states. A name is not among them: it belongs to the newest version of its chain. */
const comparedFields = [
  'content',
  'role',
  'context',
  'eventTime',
  'validFrom',
  'validTo',
  'codeContext',
  'metadata',
  'taskId',
  'outcome',
  'importance',
] as const satisfies readonly (keyof MemoryContent)[];

/**
 * Whether two versions state the same, topics by their names after merges.
 * Additions of derivation to a version, such as its state, do not count.
 */
export async function statesTheSame({ tx }: Write, a: MemoryContent, b: MemoryContent): Promise<boolean> {
  if (!comparedFields.every((field) => isDeepStrictEqual(a[field], b[field]))) return false;
  if (a.memoryType !== b.memoryType) return false;
  if (isDeepStrictEqual(a.topics, b.topics)) return true;
  const [ofA, ofB] = [await tx.topics.current(a.topics), await tx.topics.current(b.topics)];
  return isDeepStrictEqual(ofA.toSorted(), ofB.toSorted());
}

/**
 * Stores a record that an import sends again as a new version, if it has changed there and was not edited here.
 * @param existing its memory, which is live
 */
export async function importAgain(
  write: Write,
  existing: CreatedMemory,
  { content, indexed, options }: PreparedCreate,
): Promise<CreatedMemory> {
  const { memory } = existing;
  // Known by its id: an export of this store has it, which may say more of it, such as the end of a superseded one.
  const isOwn = memory.externalId !== options.externalId;
  if (isOwn && content.content === memory.content) return existing;
  if (await statesTheSame(write, content, memory)) return existing;
  const before: Memory = (await write.tx.imports.lastVersionOf(memory.seq)) ?? memory;
  if (await statesTheSame(write, content, before)) return existing;
  if (!(await statesTheSame(write, memory, before))) return { ...existing, again: 'keptEdit' };
  const { vectors } = indexed;
  const changed = await replaceContent(write, memory, content, { vectors, importId: options.importId });
  return { ...existing, memory: changed, again: 'updated' };
}
