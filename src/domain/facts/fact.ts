import type { EpochMs } from '../shared/time.ts';

/** How the sources of a derived fact state it; `repeated`: more than one of them directly. */
const confidenceBases = ['direct', 'repeated', 'hedged', 'planned', 'inferred'] as const;
export type ConfidenceBasis = (typeof confidenceBases)[number];

/** A statement as a triple: `subject` stands in the relation `predicate` to `object`. */
export interface Fact {
  readonly id: string;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  /** 0-1. */
  readonly confidence: number;
  /** Live memories that it comes from, oldest first; empty if a client stated it and no memory does. */
  readonly sourceMemoryIds: readonly string[];
  /** When it was first derived or linked to a source; null without sources. */
  readonly extractedAt: EpochMs | null;
  /** Null if it was not derived. */
  readonly basis: ConfidenceBasis | null;
  /** Whether it is negated; the predicate contains the words of the negation. */
  readonly isNegated: boolean;
  /** Whether a person changed a derived fact. */
  readonly isCorrected: boolean;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
}

/** The searched fields of a fact. */
export type FactWords = Pick<Fact, 'subject' | 'predicate' | 'object'>;

/** The fields of a fact shown with a source memory; `basis` and `isNegated` only if they were read. */
export type FactOfMemory = FactWords &
  Pick<Fact, 'id' | 'confidence'> &
  Partial<Pick<Fact, 'basis' | 'isNegated'>>;

export interface FactsOfMemory {
  /** Facts of the highest confidence, at most `factsOfMemoryMax`. */
  readonly shown: readonly FactOfMemory[];
  /** Number of all facts derived from it. */
  readonly derived: number;
}

/** The strongest basis among those of a fact's sources; two direct ones make it `repeated`. */
export function basisOf(said: readonly ConfidenceBasis[]): ConfidenceBasis | null {
  const direct = said.filter((basis) => basis === 'direct').length;
  if (direct > 0) return direct > 1 ? 'repeated' : 'direct';
  return (['planned', 'hedged', 'inferred'] as const).find((basis) => said.includes(basis)) ?? null;
}

/** Maximum facts shown with a memory: those of the highest confidence. */
export const factsOfMemoryMax = 100;

export const factSorts = ['confidence', 'createdAt'] as const;
export type FactSort = (typeof factSorts)[number];

/** Maximum lengths in UTF-16 units, as JavaScript clients count. */
export const factLengthMax = { subject: 500, predicate: 200, object: 500 } as const;
/** Default confidence of a fact that a client states. */
export const statedConfidence = 1;
