import type { Write } from '../shared/write.ts';
import type { Memory } from './memory.ts';

/**
 * Removes the terms of versions erased in this transaction
 * from the vocabulary, unless other versions contain them.
 */
export async function forgetTermsOf({ tx, indexer }: Write, erased: readonly Memory[]): Promise<void> {
  if (erased.length > 0)
    await tx.eraser.forgetTerms(erased.flatMap((version) => indexer.memory(version).terms));
}
