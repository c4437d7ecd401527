import type { Phrase } from './sentence-tree.ts';

/** Predicate and object of a clause, before subject and certainty are added. */
export interface Statement {
  readonly predicate: string;
  readonly object: Phrase;
  readonly isState: boolean;
  readonly isNegated: boolean;
}
