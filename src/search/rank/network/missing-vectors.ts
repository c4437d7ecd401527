import type { IndexView } from '../../../search-index/rows/index-view.ts';
import type { Near } from '../../arms/near-in-spaces.ts';
import type { Candidate } from './candidates.ts';
import { type FeatureName, featureCount, placeOf } from './feature-names.ts';

const none: ReadonlySet<number> = new Set();

/** The rows whose vectors are not computed yet: their similarity is unknown. */
export function rowsWithoutVectors(
  { cosines, isOfEncoder }: Near,
  rows: readonly number[],
  { index }: IndexView,
): ReadonlySet<number> {
  // A model that is not an encoder embeds inside the write, so no row lacks its vectors. One of two models is
  // always of that kind.
  if (!isOfEncoder || index.second) return none;
  return new Set(rows.filter((row) => !cosines.has(row) && !index.embedded.has(row)));
}

/** Features that depend on the vector of a row: of the candidate itself or of a neighbour. */
const nearnessFeatures: readonly {
  readonly of: 'row' | 'before' | 'after';
  readonly names: readonly FeatureName[];
}[] = [
  {
    of: 'row',
    names: ['similarity', 'similarityOfBest', 'similarityOfConversation', 'conversationOfBest'],
  },
  { of: 'before', names: ['similarityBefore', 'similarityBeforeOfBest'] },
  { of: 'after', names: ['similarityAfter', 'similarityAfterOfBest'] },
];

export interface FillInput {
  readonly candidates: readonly Candidate[];
  /** Rows whose vectors are not computed yet. */
  readonly withoutVectors: ReadonlySet<number>;
}

/**
 * Replaces the similarity of rows without vectors by the mean of the other candidates,
 * so that the other features rank them. With a similarity of 0, a memory stored just
 * before the search that had every word of the query ranked behind fifty others.
 * @param values all features of each candidate, one candidate after the other; changed
 */
export function fillNearness({ candidates, withoutVectors }: FillInput, values: Float64Array): void {
  if (withoutVectors.size === 0) return;
  for (const { of, names } of nearnessFeatures) {
    const unknown: number[] = [];
    const known: number[] = [];
    for (const [i, candidate] of candidates.entries()) {
      if (withoutVectors.has(candidate[of])) unknown.push(i);
      else if (candidate[of] >= 0) known.push(i);
    }
    if (known.length === 0) continue;
    for (const name of names) {
      const at = (i: number) => i * featureCount + placeOf[name];
      const mean = known.reduce((sum, i) => sum + values[at(i)], 0) / known.length;
      for (const i of unknown) values[at(i)] = Math.max(values[at(i)], mean);
    }
  }
}
