import type { Write } from '../shared/write.ts';
import type { Memory } from './memory.ts';

/** Takes the terms of versions that were erased in this transaction out of the vocabulary, where no other has them. */
export async function forgetTermsOf({ tx, indexer }: Write, erased: readonly Memory[]): Promise<void> {
  if (erased.length > 0)
    await tx.eraser.forgetTerms(erased.flatMap((version) => indexer.memory(version).terms));
}
