import type { EpochMs } from '../shared/time.ts';

/** Something stated as a triple: `subject` stands in the relation `predicate` to `object`. */
export interface Fact {
  readonly id: string;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  /** 0-1. */
  readonly confidence: number;
  /** Live memories that it was drawn from, the first written first; none where it was stated by hand alone. */
  readonly sourceMemoryIds: readonly string[];
  /** When it was drawn from a memory; null where it was stated by hand alone. */
  readonly extractedAt: EpochMs | null;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
}

/** The fields of a fact that are searched. */
export type FactWords = Pick<Fact, 'subject' | 'predicate' | 'object'>;

/** The fields of a fact that are shown with a memory that it was drawn from. */
export type FactOfMemory = FactWords & Pick<Fact, 'id' | 'confidence'>;
/** Facts shown with one memory: those of the highest confidence. */
export const factsOfMemoryMax = 100;

export const factSorts = ['confidence', 'createdAt'] as const;
export type FactSort = (typeof factSorts)[number];

/** Lengths are UTF-16 units, as JavaScript clients count. */
export const factLengthMax = { subject: 500, predicate: 200, object: 500 } as const;
/** Confidence of a fact that is stated by hand, unless given. */
export const statedConfidence = 1;
