import type { RowTest } from '../row-test.ts';

/**
 * From where a memory takes a signal's score: from itself, from a memory near it in its conversation, or from the
 * conversation as a whole. Contributions are added up in this order.
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

/** What is known of a signal before any search. */
export interface SignalSpec {
  /** Its key among the weights, and the name of a feature. */
  readonly name: string;
  /** Where `branchScores` adds up what a memory's own score gives; the weight of this name in a request multiplies all of it. */
  readonly group: string;
  /** The same for what the rest of the conversation gives; `group` where it is left out. */
  readonly contextGroup?: string;
  /** The parts through which it counts, and what an explanation calls each. A part that is not named never counts. */
  readonly parts: Readonly<Partial<Record<ContextPart, string>>>;
  /** What `matchedVia` calls it; absent for a signal that rates rows and finds none. */
  readonly via?: string;
  /** True where what it finds says nothing of how much of the query's words a memory has. */
  readonly isApart?: boolean;
  /** True where it counts only among memories that are judged within their conversations. */
  readonly needsContext?: boolean;
}

/** The rows that are scored, for a signal to say in which measure its scores are. */
export interface Reached {
  /** Rising; all of them pass. */
  readonly rows: Int32Array;
  readonly passes: RowTest;
  /** Whether more than one signal that finds was asked for. */
  readonly isJoined: boolean;
  /** `Scale.unit` of a signal that stands before this one among the weights; 0 for none. */
  unitOf(name: string): number;
}

/** What scores are multiplied by so that those of different signals can be added up. */
export interface Scale {
  /**
   * A contribution is `(weight * perWeight) * score * perScore`: a signal sets one of the two and leaves the other 1. Where
   * it multiplies decides the last digit of a score.
   */
  readonly perWeight: number;
  readonly perScore: number;
  /** What the best conversation is worth in this measure. */
  readonly best: number;
  /** The score that counts as 1; 0 where nothing was found. */
  readonly unit: number;
}

/** Why one memory was found. */
export interface Evidence {
  /** Place among all that the signal found, from 1; null where it has none. */
  readonly rank: number | null;
  /** Of the reasons of several signals the one with the lowest number is given. */
  readonly reasonRank: number;
  /** In words, for a search that asks for explanations. */
  describe(): { readonly reason: string; readonly notes: readonly string[] };
}

/** Rows that an arm found. */
export interface FoundSignal {
  /** A member of its own: spreading it into each signal of each search took 6 microseconds. */
  readonly spec: SignalSpec;
  /** Each once, in no fixed order; visible, whether or not they pass the filter. */
  readonly rows: ArrayLike<number>;
  /** By row; 0 for those not found and in one place more than rows, which stands for "no neighbour". */
  readonly scores: Float64Array;
  /** Whether the memories next to those found, up to two places away, are scored too. */
  readonly bringsNeighbours?: boolean;
  scale(reached: Reached): Scale;
  /** By number of a conversation, for the part `conversation`. */
  conversationScores?(): Float64Array;
  /** What it found in the measure that clients see (BM25, similarity from 0 to 1); null where it did not find the row. */
  measureOf(row: number): number | null;
  /** For each row of a page, at once, why it was found; undefined where this signal did not find it. */
  explain(rows: readonly number[]): readonly (Evidence | undefined)[];
}

/** A number for each row that some arm found, from the row alone: its part is `self`. */
export interface RatedSignal {
  readonly spec: SignalSpec;
  /** Writes the scores of the first `count` of `rows` to the beginning of `out`. */
  readonly rate: (rows: Int32Array, count: number, out: Float64Array) => void;
}

export type Signal = FoundSignal | RatedSignal;

export function isFound(signal: Signal): signal is FoundSignal {
  return 'scores' in signal;
}
