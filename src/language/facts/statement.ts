import type { Phrase } from './sentence-tree.ts';

/** Predicate and object of a clause; `findFacts` adds subject and certainty. */
export interface Statement {
  readonly predicate: string;
  readonly object: Phrase;
  readonly isState: boolean;
  readonly isNegated: boolean;
}
