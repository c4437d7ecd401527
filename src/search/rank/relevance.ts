import { cosineAtSimilarity } from '../../domain/embedding/similarity.ts';
import { analyzeQuery } from '../../search-index/analysis/index.ts';
import type { IndexView } from '../../search-index/rows/index-view.ts';
import { idfOf } from '../arms/keyword-arm.ts';
import { isSemanticSignal, semantic } from '../arms/semantic-arm.ts';
import { isFound } from '../arms/signal.ts';
import { synonyms } from '../arms/synonym-arm.ts';
import type { FoundPassages } from '../passages/find-passages.ts';
import { type LiveTerm, speakersNamed } from '../query/words/live-terms.ts';
import { valueKindsAsked } from '../query/words/question-form.ts';
import type { SearchMethod } from '../request.ts';
import { inverseDocumentFrequency } from '../scores/bm25.ts';
import { bestRows, includesRow } from '../scores/order.ts';
import type { Fused } from './fuse/fuse.ts';
import type { FeatureName } from './network/feature-names.ts';
import { type RankedBy, readRankingModel } from './ranking-models.ts';
import type { Ranked } from './rescorer.ts';

/** A kind of ranking by vectors of an encoder, else by the static model or without vectors. */
type RelevanceModel = RankedBy | 'semanticOfEncoder' | 'hybridOfEncoder' | 'sumOfEncoder';

/** A logistic model. */
export interface RelevanceWeights {
  readonly bias: number;
  readonly weights: Readonly<Partial<Record<RelevanceFeature, number>>>;
}

type RelevanceModels = Readonly<Record<RelevanceModel, RelevanceWeights>>;

let loaded: RelevanceModels | undefined;

/** Reads the file at the first call. @throws if it has weights of other features */
export function relevanceModels(): RelevanceModels {
  if (loaded) return loaded;
  const models: RelevanceModels = readRankingModel('relevance');
  const features: readonly string[] = rerankedFeatures;
  for (const [name, { bias, weights }] of Object.entries(models)) {
    const isWhole =
      Number.isFinite(bias) && Object.keys(weights).every((feature) => features.includes(feature));
    if (!isWhole) throw new Error(`models/ranking/relevance.json: ${name} has weights of other features`);
  }
  loaded = models;
  return models;
}

/** Number of best matches tested against a minimum relevance: later ones hardly ever reach one. */
export const judgedMax = 200;

export const comparedRanks = 10;

/** Relevance of the matches of one search. */
export interface Judge {
  /** The highest of the best ten matches; 0 for no match. */
  readonly best: number;
  /** Relevance of each of the rows, in their order. */
  of(rows: readonly number[]): Float64Array;
  /** The best 200 matches that have at least this relevance; all matches for 0. */
  reaching(least: number): ArrayLike<number>;
}

export function judgeRows(search: Omit<JudgedSearch, 'best'>, method: SearchMethod): Judge {
  const { rows, scores } = search.last;
  const { index } = search.view;
  const firstTen = bestRows(rows, comparedRanks, index, scores);
  const valuesOf = relevanceValuesOf({ ...search, best: firstTen });
  const model = relevanceModels()[modelOf(search, method)];
  const of = (judged: readonly number[]) => {
    const relevance = new Float64Array(judged.length);
    let i = 0;
    for (const values of valuesOf(judged)) relevance[i++] = relevanceOf(model, values);
    return relevance;
  };
  return {
    best: of(firstTen).reduce((most, relevance) => Math.max(most, relevance), 0),
    of,
    reaching: (least) => {
      if (least <= 0) return rows;
      const judged = bestRows(rows, judgedMax, index, scores);
      const relevance = of(judged);
      return judged.filter((_, i) => relevance[i] >= least);
    },
  };
}

function modelOf({ last }: Pick<JudgedSearch, 'last'>, method: SearchMethod): RelevanceModel {
  const near = last.signals.find(isSemanticSignal)?.near;
  if (method === 'keyword' || !near) return 'keyword';
  const by = method === 'hybrid' && !last.network ? 'sum' : method;
  return near.isOfEncoder ? `${by}OfEncoder` : by;
}

/**
 * Maximum relevance of a memory that has no word of the query and whose
 * text is not similar to it: only synonyms or its surroundings matched.
 */
const withoutOwnEvidenceMax = 0.4;

/** Relevance from 0 to 1, four digits. At 0.5, half of the hits with these features are right. */
export function relevanceOf({ bias, weights }: RelevanceWeights, values: RelevanceValues): number {
  let sum = bias;
  // Without a list of the weights for each result.
  for (const name in weights)
    sum += (weights[name as RelevanceFeature] ?? 0) * values[name as RelevanceFeature];
  const relevance = 1 / (1 + Math.exp(-sum));
  const hasOwnEvidence = values.coverage > 0 || values.similarity > similarityMin;
  const most = hasOwnEvidence ? relevance : Math.min(relevance, withoutOwnEvidenceMax);
  return Math.round(most * 10_000) / 10_000;
}

/** Features of a query, the same for all its results. */
const queryFeatures = [
  'unknown',
  'queryWords',
  'wordsWithoutNames',
  'unknownName',
  'nearestLead',
  'smallStore',
] as const;

/**
 * Features of a result's text. Neighbours, conversation, speaker and time affect the order, not relevance.
 */
const textFeatures = [
  'coverage',
  'coverageSquared',
  'isCovered',
  'coverageOfBest',
  'similarity',
  'similarityBelowBest',
  'coverageBySimilarity',
  'synonyms',
  'length',
  'question',
] as const;

/** Features of the network that are of the text itself or of the query. */
const candidateFeatures = [
  'ownOfQuery',
  'ownWithoutNames',
  'maxSim',
  'maxSimOfBest',
  'maxSimAbove',
  'maxSimLeast',
  'maxSimReverse',
  'similarityOfBest',
  'hasNumber',
  'names',
  'queryCoverage',
  'queryMaxSim',
  'querySimilarity',
  'queryMissingWord',
] as const satisfies readonly FeatureName[];

/** Features of a result that a network scored. */
const networkFeatures = [
  'network',
  ...candidateFeatures,
  'unknownWord',
  'rarestWords',
  'asksValue',
  'lacksValue',
] as const;
type NetworkValues = Pick<RelevanceValues, (typeof networkFeatures)[number]>;

/**
 * Features that count otherwise among few memories: a word of the query that none has is nothing unusual there. Each
 * again, times `smallStore`.
 */
const scaledFeatures = ['coverage', 'unknown', 'similarity', 'queryWords', 'nearestLead'] as const;
const scaledNetworkFeatures = ['network', 'maxSim', 'queryMissingWord'] as const;
type InSmallStore<Name extends string> = `${Name}InSmallStore`;
type ScaledName = InSmallStore<(typeof scaledFeatures)[number] | (typeof scaledNetworkFeatures)[number]>;
const inSmallStore = <Name extends string>(names: readonly Name[]) =>
  names.map((name): InSmallStore<Name> => `${name}InSmallStore`);

/** Features of a result ranked by the weighted sum, in the order of their weights; docs/search.md describes each. */
export const sumFeatures = [...textFeatures, ...queryFeatures, ...inSmallStore(scaledFeatures)] as const;

/** Features of a result if a network ordered the best. */
export const rerankedFeatures = [
  ...sumFeatures,
  ...networkFeatures,
  ...inSmallStore(scaledNetworkFeatures),
] as const;

export type RelevanceFeature = (typeof rerankedFeatures)[number];
export type RelevanceValues = Readonly<Record<RelevanceFeature, number>>;

/** A search as read, with its rankings. */
export interface JudgedSearch extends Ranked {
  readonly view: IndexView;
  /** The query without the words of a time. */
  readonly query: string;
  /** Terms as typed. */
  readonly typed: readonly string[];
  readonly terms: readonly LiveTerm[];
  /** Of a long text, its best passage alone is judged. */
  readonly passages: FoundPassages;
  /** Rows of the ten highest scores. */
  readonly best: readonly number[];
}

/** Default minimum similarity of a match: lower similarities count as this, whatever the threshold. */
const similarityMin = 0.5;

/**
 * Computes the features of rows from the data of the ranking: reads nothing, and scans no list but the scores.
 * One row after the other, since a thousand results with all their features at once were much work for the collector.
 */
export function relevanceValuesOf(
  search: JudgedSearch,
): (rows: readonly number[]) => Generator<RelevanceValues, void> {
  const { view, sum, best, passages } = search;
  const mass = queryMassOf(search);
  const semanticSignal = sum.signals.filter(isFound).find(({ spec }) => spec.name === semantic.name);
  const similarityOf = (row: number) => Math.max(similarityMin, semanticSignal?.measureOf(row) ?? 0);
  const bestCoverage = highest(best, (row) => coverageOf(search, mass, row));
  const bestSimilarity = highest(best, similarityOf);
  const ofQuery = queryValuesOf(search, mass);
  const ofNetwork = networkValuesOf(search);
  return function* valuesOf(rows) {
    const contributed = contributionsTo(rows, sum);
    for (const [i, row] of rows.entries()) {
      const coverage = coverageOf(search, mass, row);
      const similarity = similarityOf(row);
      const values: Record<Exclude<RelevanceFeature, ScaledName>, number> &
        Partial<Record<ScaledName, number>> = {
        coverage,
        coverageSquared: coverage * coverage,
        isCovered: coverage >= wholeCoverage ? 1 : 0,
        coverageOfBest: bestCoverage > 0 ? Math.min(1, coverage / bestCoverage) : 0,
        similarity,
        similarityBelowBest: Math.max(0, bestSimilarity - similarity),
        coverageBySimilarity: coverage * (similarity - similarityMin),
        length: Math.log1p(passages.of(row)?.termCount ?? view.index.columns.termCount[row]),
        ...contributed[i],
        ...ofQuery,
        ...ofNetwork(row),
      };
      // In place: results are judged by the thousand, and two more objects for each doubled the time of it.
      for (const [name, inSmall] of scaled) values[inSmall] = ofQuery.smallStore * values[name];
      yield values as RelevanceValues;
    }
  };
}

const scaled = [...scaledFeatures, ...scaledNetworkFeatures].map(
  (name) => [name, `${name}InSmallStore`] as const,
);

/** A sum of shares is hardly ever 1 to the last digit. */
const wholeCoverage = 0.999;

function highest(rows: readonly number[], measure: (row: number) => number): number {
  return rows.reduce((most, row) => Math.max(most, measure(row)), 0);
}

/** Contributions of signals of the text to the weighted sum of each row. */
function contributionsTo(
  rows: readonly number[],
  { summands, valuesOf }: Fused,
): Pick<RelevanceValues, 'synonyms' | 'question'>[] {
  const values = valuesOf(rows);
  return rows.map((_, i) => {
    let ofSynonyms = 0;
    let isQuestion = false;
    for (const [f, { signal, part }] of summands.entries()) {
      const value = values[i * summands.length + f];
      if (signal === synonyms.name && part === 'self') ofSynonyms += value;
      if (signal === 'question' && value < 0) isQuestion = true;
    }
    return { synonyms: ofSynonyms, question: isQuestion ? 1 : 0 };
  });
}

function networkValuesOf({ query, last: { network } }: JudgedSearch): (row: number) => NetworkValues {
  if (!network) return () => withoutNetwork;
  const { missing: unknownWord, rarest: rarestWords } = network.known;
  const asked = valueKindsAsked(query);
  const asksValue = asked === 0 ? 0 : 1;
  const ofQuery = { ...withoutNetwork, unknownWord, rarestWords, asksValue };
  return (row) => {
    const lacksValue =
      asksValue === 1 && ((network.traitsOf(row)?.valueKinds ?? asked) & asked) === 0 ? 1 : 0;
    const values = { ...ofQuery, network: network.scoreOf(row), lacksValue };
    for (const name of candidateFeatures) values[name] = network.valueOf(row, name);
    return values;
  };
}

const withoutNetwork = Object.fromEntries(networkFeatures.map((name) => [name, 0])) as NetworkValues;

function queryValuesOf(
  search: JudgedSearch,
  mass: QueryMass,
): Pick<RelevanceValues, (typeof queryFeatures)[number]> {
  const { view, query, typed, terms, sum } = search;
  const names = speakersNamed(typed, terms, view).words;
  const near = sum.signals.find(isSemanticSignal)?.near;
  return {
    smallStore: 1 / (1 + view.index.documents / documentsAtHalf),
    unknown: mass.unknown,
    queryWords: mass.words,
    wordsWithoutNames: queryMassOf(search, names).words,
    unknownName: namesUnknown(query, terms) ? 1 : 0,
    nearestLead: near
      ? leadOfNearest(near.cosines.values(), cosineAtSimilarity(similarityFloor, near.relatedCosine))
      : 0,
  };
}

/** Number of memories at which `smallStore` is half of its maximum. */
const documentsAtHalf = 30;

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
function coverageOf(
  { terms, passages }: Pick<JudgedSearch, 'terms' | 'passages'>,
  { idfs, mass }: QueryMass,
  row: number,
): number {
  if (mass === 0) return 0;
  const passage = passages.of(row);
  let covered = 0;
  for (let t = 0; t < terms.length; t++)
    if (passage?.has(t) ?? includesRow(terms[t].rows, row)) covered += idfs[t];
  return Math.min(1, covered / mass);
}
