import { cosineAtSimilarity } from '../../domain/embedding/similarity.ts';
import { analyzeQuery } from '../../search-index/analysis/index.ts';
import type { IndexView } from '../../search-index/rows/index-view.ts';
import { idfOf, words } from '../arms/keyword-arm.ts';
import { isSemanticSignal, semantic } from '../arms/semantic-arm.ts';
import { isFound } from '../arms/signal.ts';
import { synonyms } from '../arms/synonym-arm.ts';
import type { LiveTerm } from '../query/words/live-terms.ts';
import { speakersNamed } from '../query/words/speakers-named.ts';
import { inverseDocumentFrequency } from '../scores/bm25.ts';
import { includesRow } from '../scores/includes-row.ts';
import type { Fused } from './fuse/fuse.ts';
import type { Summand } from './fuse/summands.ts';
import type { Ranked } from './rescorer.ts';

/** Features of a query, the same for all its results. */
const queryFeatures = ['wordsWithoutNames', 'unknownName', 'nearestLead'] as const;

/** Features of a result that a network scored. */
const networkFeatures = [
  'network',
  'missingAnywhere',
  'unknownWord',
  'rarestWords',
  'similarityAfter',
  'similarityOfConversation',
  'hasContext',
  'hasNumber',
  'otherSpeaker',
] as const;

/** Features of a result ranked by the weighted sum, in the order of their weights; docs/search.md describes each. */
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

/** Features of a result if a network ordered the best. */
export const rerankedFeatures = [
  'queryWords',
  'question',
  'around',
  ...queryFeatures,
  ...networkFeatures,
] as const;

export type RelevanceFeature = (typeof sumFeatures)[number] | (typeof rerankedFeatures)[number];
export type RelevanceValues = Readonly<Record<RelevanceFeature, number>>;

/** A search as read, with its rankings. */
export interface JudgedSearch extends Ranked {
  readonly view: IndexView;
  /** The query without the words of a time. */
  readonly query: string;
  /** Terms as typed. */
  readonly typed: readonly string[];
  readonly terms: readonly LiveTerm[];
  /** The highest ten scores, highest first. */
  readonly bestScores: readonly number[];
}

/** Default minimum similarity of a match: lower similarities count as this, whatever the threshold. */
export const similarityMin = 0.5;

/** Computes the features of rows from the data of the ranking: reads nothing, and scans no list but the scores. */
export function relevanceValuesOf(search: JudgedSearch): (rows: readonly number[]) => RelevanceValues[] {
  const { view, sum, last, terms, bestScores } = search;
  const mass = queryMassOf(search);
  const [first = 0] = bestScores;
  const tenth = bestScores.at(-1) ?? 0;
  const semanticSignal = sum.signals.filter(isFound).find(({ spec }) => spec.name === semantic.name);
  const ofQuery = queryValuesOf(search);
  const ofNetwork = networkValuesOf(search);
  return (rows) => {
    const contributed = contributionsTo(rows, sum);
    return rows.map((row, i) => ({
      coverage: coverageOf(terms, mass, row),
      unknown: mass.unknown,
      queryWords: mass.words,
      similarity: Math.max(similarityMin, semanticSignal?.measureOf(row) ?? 0),
      lead: first > 0 ? (last.scores[row] - tenth) / first : 0,
      length: Math.log1p(view.index.columns.termCount[row]),
      ...ofQuery,
      ...ofNetwork(row),
      ...contributed[i],
    }));
  };
}

type Contributed = Pick<
  RelevanceValues,
  'speaker' | 'question' | 'synonyms' | 'around' | 'conversation' | 'semanticAround'
>;

/** Contributions of signals to the weighted sum of each row. */
function contributionsTo(rows: readonly number[], { summands, valuesOf }: Fused): Contributed[] {
  const values = valuesOf(rows);
  return rows.map((_, i) => {
    const sums = { speaker: 0, question: 0, synonyms: 0, around: 0, conversation: 0, semanticAround: 0 };
    for (let f = 0; f < summands.length; f++) {
      const name = featureOf(summands[f]);
      if (name) sums[name] += values[i * summands.length + f];
    }
    return { ...sums, speaker: sums.speaker > 0 ? 1 : 0, question: sums.question < 0 ? 1 : 0 };
  });
}

/** Undefined for a summand that is no feature. */
function featureOf({ signal, part }: Summand): keyof Contributed | undefined {
  if (signal === 'speaker' || signal === 'question') return signal;
  if (signal === synonyms.name) return part === 'self' ? 'synonyms' : undefined;
  if (signal === semantic.name) return part === 'conversation' ? 'semanticAround' : undefined;
  if (signal !== words.name || part === 'self') return undefined;
  return part === 'conversation' ? 'conversation' : 'around';
}

function networkValuesOf({
  last: { network },
}: JudgedSearch): (row: number) => Pick<RelevanceValues, (typeof networkFeatures)[number]> {
  if (!network) return () => withoutNetwork;
  const { known } = network;
  return (row) => ({
    network: network.scoreOf(row),
    missingAnywhere: network.valueOf(row, 'queryMissingWord'),
    unknownWord: known.missing,
    rarestWords: known.rarest,
    similarityAfter: network.valueOf(row, 'similarityAfterOfBest'),
    similarityOfConversation: network.valueOf(row, 'conversationOfBest'),
    hasContext: network.valueOf(row, 'hasContext'),
    hasNumber: network.valueOf(row, 'hasNumber'),
    otherSpeaker: network.valueOf(row, 'otherSpeaker'),
  });
}

const withoutNetwork = Object.fromEntries(networkFeatures.map((name) => [name, 0])) as ReturnType<
  ReturnType<typeof networkValuesOf>
>;

function queryValuesOf(search: JudgedSearch): Pick<RelevanceValues, (typeof queryFeatures)[number]> {
  const { view, query, typed, terms, sum } = search;
  const names = speakersNamed(typed, terms, view).words;
  const near = sum.signals.find(isSemanticSignal)?.near;
  return {
    wordsWithoutNames: queryMassOf(search, names).words,
    unknownName: namesUnknown(query, terms) ? 1 : 0,
    nearestLead: near
      ? leadOfNearest(near.cosines.values(), cosineAtSimilarity(similarityFloor, near.relatedCosine))
      : 0,
  };
}

/** Similarity down to which vectors are compared, whatever the threshold. */
const similarityFloor = 1 / 3;
const comparedRank = 10;

/** Difference of the highest and the tenth highest cosine, each at least `floor`. */
export function leadOfNearest(cosines: Iterable<number>, floor: number): number {
  const best = new Float64Array(comparedRank).fill(floor);
  for (const cosine of cosines) {
    if (!(cosine > best[comparedRank - 1])) continue;
    let place = comparedRank - 1;
    for (; place > 0 && best[place - 1] < cosine; place--) best[place] = best[place - 1];
    best[place] = cosine;
  }
  return best[0] - best[comparedRank - 1];
}

/** A capitalised word within a sentence. */
const name = /(?<=[\p{Ll},'’] )\p{Lu}\p{L}+/gu;

/** Whether the query has a name that no memory contains. */
export function namesUnknown(query: string, terms: readonly Pick<LiveTerm, 'term' | 'rows'>[]): boolean {
  const unknown = new Set(terms.filter(({ rows }) => rows.length === 0).map(({ term }) => term));
  return (query.match(name) ?? []).some((text) => analyzeQuery(text).some((term) => unknown.has(term)));
}

/** Inverse document frequencies of a query. */
interface QueryMass {
  /** By term. */
  readonly idfs: readonly number[];
  /** Sum over the terms as typed; a word that no memory contains counts as the rarest. */
  readonly mass: number;
  /** Share of the mass that no memory contains. */
  readonly unknown: number;
  /** `log(1 + n)` for a mass of `n` words of maximum rarity. */
  readonly words: number;
}

/** @param without terms that do not count */
function queryMassOf(
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

/** Share of the query's mass that a row contains. */
function coverageOf(terms: readonly LiveTerm[], { idfs, mass }: QueryMass, row: number): number {
  if (mass === 0) return 0;
  let covered = 0;
  for (let t = 0; t < terms.length; t++) if (includesRow(terms[t].rows, row)) covered += idfs[t];
  return Math.min(1, covered / mass);
}
