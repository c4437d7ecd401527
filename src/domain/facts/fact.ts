import type { EpochMs } from '../shared/time.ts';

/** How the memories of a derived fact say it; `repeated`: more than one of them directly. */
export const confidenceBases = ['direct', 'repeated', 'hedged', 'planned', 'inferred'] as const;
export type ConfidenceBasis = (typeof confidenceBases)[number];

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
  /** Null where it was stated by hand and not derived. */
  readonly basis: ConfidenceBasis | null;
  /** Whether it says that something is not so; the predicate has the words for it. */
  readonly isNegated: boolean;
  /** Whether a person changed what was derived. */
  readonly isCorrected: boolean;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
}

/** The fields of a fact that are searched. */
export type FactWords = Pick<Fact, 'subject' | 'predicate' | 'object'>;

/** The fields of a fact that are shown with a memory that it was drawn from; how the memory says it where that was read. */
export type FactOfMemory = FactWords &
  Pick<Fact, 'id' | 'confidence'> &
  Partial<Pick<Fact, 'basis' | 'isNegated'>>;

export interface FactsOfMemory {
  /** The surest first, at most `factsOfMemoryMax`. */
  readonly shown: readonly FactOfMemory[];
  /** How many were derived from it, all of them. */
  readonly derived: number;
}

/** The surest way in which memories say a fact; two that say it directly repeat it. */
export function basisOf(said: readonly ConfidenceBasis[]): ConfidenceBasis | null {
  const direct = said.filter((basis) => basis === 'direct').length;
  if (direct > 0) return direct > 1 ? 'repeated' : 'direct';
  return (['planned', 'hedged', 'inferred'] as const).find((basis) => said.includes(basis)) ?? null;
}

/** Facts shown with one memory: those of the highest confidence. */
export const factsOfMemoryMax = 100;

export const factSorts = ['confidence', 'createdAt'] as const;
export type FactSort = (typeof factSorts)[number];

/** Lengths are UTF-16 units, as JavaScript clients count. */
export const factLengthMax = { subject: 500, predicate: 200, object: 500 } as const;
/** Confidence of a fact that is stated by hand, unless given. */
export const statedConfidence = 1;
