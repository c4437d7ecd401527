import type { DerivedRelationshipType } from '../language/edges/edge.ts';

/** A version of a memory to be compared. */
export interface ComparedText {
  readonly doc: number;
  readonly content: string;
}

/** The places in `texts` of an earlier and a later text. */
export type TextPair = readonly [earlier: number, later: number];

export interface RelateRequest {
  readonly texts: readonly ComparedText[];
  readonly pairs: readonly TextPair[];
}

/** A relation of the later text to the earlier one; places in UTF-16 units. */
export interface PairFinding {
  readonly type: DerivedRelationshipType;
  readonly confidence: number;
  readonly reason: string;
  readonly earlier: readonly [start: number, end: number];
  readonly later: readonly [start: number, end: number];
}

/** One a pair, in order; null where the two have nothing to do with each other. */
export type RelateReply = readonly (PairFinding | null)[];

/** Compares texts, on a thread of its own or on the caller's. Requests and replies are plain data. */
export interface TextComparer {
  relate(request: RelateRequest): Promise<RelateReply>;
  /** The links, files, tickets and numbered documents that each text names, at most 5, in lower case. */
  identifiersOf(texts: readonly ComparedText[]): Promise<readonly (readonly string[])[]>;
}
