import type { RowTest } from '../../search-index/columns/row-set.ts';

/**
 * Sources of a memory's score: itself, a memory near it in its conversation,
 * or the whole conversation. Contributions are added in this order.
 */
export const contextParts = [
  'self',
  'before',
  'after',
  'twoBefore',
  'twoAfter',
  'questionBefore',
  'answerAfter',
  'conversation',
] as const;
export type ContextPart = (typeof contextParts)[number];

/** Static description of a signal. */
export interface SignalSpec {
  /** Its key among the weights, and the name of a feature. */
  readonly name: string;
  /**
   * Sum in `branchScores` for a memory's own score; the
   * weight of this name in a request multiplies all parts.
   */
  readonly group: string;
  /** Sum in `branchScores` for the rest of the conversation; `group` if absent. */
  readonly contextGroup?: string;
  /** The parts through which it counts, with their names in explanations. Absent parts never count. */
  readonly parts: Readonly<Partial<Record<ContextPart, string>>>;
  /** Its name in `matchedVia`; absent for a signal that only rates rows. */
  readonly via?: string;
  /** Why it did not find a memory, as a sentence. */
  readonly lacks?: string;
  /** True if its results are independent of the share of the query's words in a memory. */
  readonly isApart?: boolean;
  /** True if it counts only for memories judged within their conversations. */
  readonly needsContext?: boolean;
}

/** The rows to score, from which a signal derives its scale. */
export interface Reached {
  /** Ascending; all pass. */
  readonly rows: Int32Array;
  readonly passes: RowTest;
  /** Whether more than one finding signal was requested. */
  readonly isJoined: boolean;
  /** `Scale.unit` of a signal earlier among the weights; 0 if none. */
  unitOf(name: string): number;
}

/** Factors that make scores of different signals comparable. */
export interface Scale {
  /**
   * A contribution is `(weight * perWeight) * score * perScore`: a signal sets one of
   * the two and leaves the other at 1. The choice decides the last digit of a score.
   */
  readonly perWeight: number;
  readonly perScore: number;
  /** Value of the best conversation in this scale. */
  readonly best: number;
  /** The score that counts as 1; 0 if nothing was found. */
  readonly unit: number;
}

/** Evidence for a match. */
export interface Evidence {
  /** Rank among all that the signal found, from 1; null for signals without ranks. */
  readonly rank: number | null;
  /** The explanation gives the reason with the lowest number. */
  readonly reasonRank: number;
  /** Words for a search with explanations. */
  describe(): { readonly reason: string; readonly notes: readonly string[] };
}

/** Rows that an arm found. */
export interface FoundSignal {
  /** A separate member: spreading it into each signal of each search took 6 microseconds. */
  readonly spec: SignalSpec;
  /** Each once, in no fixed order; visible, whether or not they pass the filter. */
  readonly rows: ArrayLike<number>;
  /** By row; 0 for rows not found and in one extra place, for "no neighbour". */
  readonly scores: Float64Array;
  /** Whether memories up to two places from found ones are scored too. */
  readonly bringsNeighbours?: boolean;
  scale(reached: Reached): Scale;
  /** By number of a conversation, for the part `conversation`. */
  conversationScores?(): Float64Array;
  /** The measure that clients see (BM25, similarity from 0 to 1); null if it did not find the row. */
  measureOf(row: number): number | null;
  /** Evidence for each row of a page; undefined if this signal did not find the row. */
  explain(rows: readonly number[]): readonly (Evidence | undefined)[];
}

/** A number for each found row, from the row alone: its part is `self`. */
export interface RatedSignal {
  readonly spec: SignalSpec;
  /** Writes the scores of the first `count` of `rows` to the beginning of `out`. */
  readonly rate: (rows: Int32Array, count: number, out: Float64Array) => void;
}

export type Signal = FoundSignal | RatedSignal;

export function isFound(signal: Signal): signal is FoundSignal {
  return 'scores' in signal;
}

/** The highest score of these rows; 0 if none is above it. */
export function bestOf(rows: ArrayLike<number>, scores: Float64Array): number {
  let best = 0;
  for (let i = 0; i < rows.length; i++) if (scores[rows[i]] > best) best = scores[rows[i]];
  return best;
}
