import type { UserRef } from '../shared/user-ref.ts';
import type { Memory } from './memory.ts';

/**
 * How an earlier memory relates to a new text on the same matter: it says the same in
 * the same words, gives the same value, or gives another one, of which only one can hold.
 */
export const similarKinds = ['duplicate', 'sameValue', 'otherValue'] as const;
export type SimilarKind = (typeof similarKinds)[number];

export interface SimilarMemory {
  readonly memory: Memory;
  readonly kind: SimilarKind;
}

/** Maximum memories that a create names. */
export const similarMax = 3;

/** Finds current memories on the same matter as a text that is about to be written. */
export interface SimilarMemories {
  /** At most `similarMax`, the nearest first; none if that would cost a wait. */
  to(user: UserRef, content: string): Promise<readonly SimilarMemory[]>;
  /** Notes a text that was written. */
  wrote(user: UserRef, memory: Pick<Memory, 'id' | 'content'>): void;
}
