import type { IndexView } from '../../../search-index/rows/index-view.ts';
import type { Feature } from './features.ts';
import type { Fused } from './fuse.ts';

/** Contribution of a rule to found rows; `scores` by row. */
export interface RuleFeature extends Pick<Feature, 'signal' | 'group' | 'phrase' | 'factor'> {
  readonly scores: Float64Array;
}

/** The same matches with the contribution of a rule, in scores and explanations. */
export function withFeature(
  fused: Fused,
  { arrays }: Pick<IndexView, 'arrays'>,
  { scores: column, factor, ...named }: RuleFeature,
): Fused {
  const scores = arrays.copyOf(fused.scores);
  for (let i = 0; i < fused.rows.length; i++) scores[fused.rows[i]] += factor * column[fused.rows[i]];
  const feature: Feature = { ...named, part: 'self', factor, perScore: 1, column, rate: undefined };
  const count = fused.features.length;
  return {
    ...fused,
    scores,
    groups: [...new Set([...fused.groups, named.group])],
    features: [...fused.features, feature],
    valuesOf: (rows) => {
      const given = fused.valuesOf(rows);
      const values = new Float64Array(rows.length * (count + 1));
      for (const [i, row] of rows.entries()) {
        values.set(given.subarray(i * count, (i + 1) * count), i * (count + 1));
        values[i * (count + 1) + count] = factor * column[row];
      }
      return values;
    },
  };
}
