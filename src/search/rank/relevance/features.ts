import { words } from '../../arms/keyword-arm.ts';
import { semantic } from '../../arms/semantic-arm.ts';
import { isFound } from '../../arms/signal.ts';
import { synonyms } from '../../arms/synonym-arm.ts';
import type { LiveTerm } from '../../query/words/live-terms.ts';
import { includesRow } from '../../scores/includes-row.ts';
import type { Fused } from '../fuse/fuse.ts';
import type { Summand } from '../fuse/summands.ts';
import type { JudgedSearch } from './judged-search.ts';
import { networkFeatures, type ValuesOfNetwork, valuesOfNetwork } from './network-features.ts';
import { queryFeatures, valuesOfQuery } from './query-features.ts';
import { type QueryMass, queryMassOf } from './query-mass.ts';

/** What relevance is judged by where a weighted sum has the last word, in the order of the values; docs/search.md says what each is. */
export const sumFeatures = [
  'coverage',
  'unknown',
  'queryWords',
  'similarity',
  'lead',
  'length',
  'speaker',
  'question',
  'synonyms',
  'around',
  'conversation',
  'semanticAround',
  ...queryFeatures,
] as const;
type SumFeature = (typeof sumFeatures)[number];

/** The same where a network ordered the best. */
export const rerankedFeatures = [
  'queryWords',
  'question',
  'around',
  ...queryFeatures,
  ...networkFeatures,
] as const;

export type RelevanceFeature = SumFeature | (typeof rerankedFeatures)[number];

export type FeatureValues = Readonly<Record<SumFeature, number>> & ValuesOfNetwork;

/** Similarity below which a search leaves memories out by default: less counts as none, whatever the threshold was. */
export const similarityMin = 0.5;

/** Gives the values of rows, from what the ranking has already: nothing is read, and no list is gone through but the scores. */
export function featuresOf(search: JudgedSearch): (rows: readonly number[]) => FeatureValues[] {
  const { view, sum, last, terms, bestScores } = search;
  const query = queryMassOf(search);
  const [first = 0] = bestScores;
  const tenth = bestScores.at(-1) ?? 0;
  const semanticSignal = sum.signals.filter(isFound).find(({ spec }) => spec.name === semantic.name);
  const ofQuery = valuesOfQuery(search);
  const ofNetwork = valuesOfNetwork(search);
  return (rows) => {
    const given = contributionsOf(sum, rows);
    return rows.map((row, i) => ({
      coverage: coverageOf(terms, query, row),
      unknown: query.unknown,
      queryWords: query.words,
      similarity: Math.max(similarityMin, semanticSignal?.measureOf(row) ?? 0),
      lead: first > 0 ? (last.scores[row] - tenth) / first : 0,
      length: Math.log1p(view.index.columns.termCount[row]),
      ...ofQuery,
      ...ofNetwork(row),
      ...given[i],
    }));
  };
}

function coverageOf(terms: readonly LiveTerm[], { idfs, mass }: QueryMass, row: number): number {
  if (mass === 0) return 0;
  let covered = 0;
  for (let t = 0; t < terms.length; t++) if (includesRow(terms[t].rows, row)) covered += idfs[t];
  return Math.min(1, covered / mass);
}

type Contributed = Pick<
  FeatureValues,
  'speaker' | 'question' | 'synonyms' | 'around' | 'conversation' | 'semanticAround'
>;

/** What signals gave to each row, as far as relevance is judged by it. */
function contributionsOf({ summands, valuesOf }: Fused, rows: readonly number[]): Contributed[] {
  const values = valuesOf(rows);
  return rows.map((_, i) => {
    const sums = { speaker: 0, question: 0, synonyms: 0, around: 0, conversation: 0, semanticAround: 0 };
    for (let f = 0; f < summands.length; f++) {
      const name = judgedAs(summands[f]);
      if (name) sums[name] += values[i * summands.length + f];
    }
    return { ...sums, speaker: sums.speaker > 0 ? 1 : 0, question: sums.question < 0 ? 1 : 0 };
  });
}

/** Undefined for what relevance is not judged by. */
function judgedAs({ signal, part }: Summand): keyof Contributed | undefined {
  if (signal === 'speaker' || signal === 'question') return signal;
  if (signal === synonyms.name) return part === 'self' ? 'synonyms' : undefined;
  if (signal === semantic.name) return part === 'conversation' ? 'semanticAround' : undefined;
  if (signal !== words.name || part === 'self') return undefined;
  return part === 'conversation' ? 'conversation' : 'around';
}
