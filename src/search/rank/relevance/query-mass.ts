import { idfOf } from '../../arms/keyword-arm.ts';
import { inverseDocumentFrequency } from '../../scores/bm25.ts';
import type { JudgedSearch } from './judged-search.ts';

/** What of the query the user's memories know at all. */
export interface QueryMass {
  /** By term. */
  readonly idfs: readonly number[];
  /** Sum of the idf of the terms as typed; a word that no memory has counts as the rarest. */
  readonly mass: number;
  readonly unknown: number;
  /** To how many rare words the query comes: the logarithm of one more. */
  readonly words: number;
}

/** @param without terms that do not count */
export function queryMassOf(
  { view, typed, terms }: Pick<JudgedSearch, 'view' | 'typed' | 'terms'>,
  without: ReadonlySet<string> = new Set(),
): QueryMass {
  const idfs = terms.map((term) => idfOf(view.index, term));
  const asTyped = new Set(typed);
  let mass = 0;
  let known = 0;
  for (const [i, { term, rows }] of terms.entries()) {
    if (without.has(term)) continue;
    if (asTyped.has(term)) mass += idfs[i];
    if (rows.length > 0) known += idfs[i];
  }
  return {
    idfs,
    mass,
    unknown: mass === 0 ? 1 : Math.max(0, 1 - known / mass),
    words: Math.log1p(mass / inverseDocumentFrequency(view.index.documents, 0)),
  };
}
