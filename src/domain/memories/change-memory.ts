import type { TextVectors } from '../shared/text-indexer.ts';
import type { Write } from '../shared/write.ts';
import type { Memory } from './memory.ts';
import type { MemoryChange } from './memory-store.ts';

/**
 * Opens a version with `change` applied. Its document is computed in the transaction because
 * it depends on fields of the version before, which only the user's lock keeps unchanged.
 * @param vectors vectors of the new text, if `change` has one
 * @param importId the import whose record the version has
 */
export async function changeMemory(
  { tx, at, indexer }: Write,
  memory: Memory,
  change: MemoryChange,
  vectors: readonly TextVectors[] = [],
  importId?: string,
): Promise<Memory> {
  const isSameText = change.content === undefined || change.content === memory.content;
  const outdatedParts = isSameText ? memory.outdatedParts : partsIn(change.content ?? '', memory);
  const next = { ...memory, outdatedParts, ...change };
  const indexed = {
    document: indexer.memory(next),
    vectors: isSameText ? undefined : vectors,
  };
  return Object.assign(next, await tx.memories.change(memory, next, indexed, { at, importId }));
}

/** Outdated parts that a new text has at the same place; the others are found again when it is compared. */
function partsIn(text: string, { content, outdatedParts }: Memory): Memory['outdatedParts'] {
  const kept = outdatedParts?.filter(
    ({ start, end }) => text.slice(start, end) === content.slice(start, end),
  );
  return kept && kept.length > 0 ? kept : null;
}
