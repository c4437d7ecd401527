import type { PieceTable } from '../../../domain/embedding/embedder.ts';
import type { IndexView } from '../../../search-index/rows/index-view.ts';
import type { SearchPlan } from '../../query/plan.ts';
import type { Fused, NetworkOutput } from '../fuse/fuse.ts';
import type { Summand } from '../fuse/summands.ts';
import { networkModel } from '../ranking-models.ts';
import type { Rescorer } from '../rescorer.ts';
import { type Examined, examine, type Pieces } from './candidate-features.ts';
import {
  type FamilyName,
  type FeatureName,
  families,
  featureCount,
  featureNames,
  featureOwners,
  placeOf,
} from './feature-names.ts';
import { type NetworkModel, scoreOf, scoresOf, standardise } from './network.ts';
import { isReplaced } from './sum-shares.ts';
import { PieceComparer } from './word-pieces.ts';

/**
 * Reorders the best matches of a weighted sum with a small network; the others follow in their order.
 * @param tableOf reads its files at the first call
 */
export function networkRescorer(tableOf: () => PieceTable): Rescorer {
  const pieces = lazyPieces(tableOf);
  return {
    name: 'network',
    // It was trained on memories in conversations.
    applies: ({ method, mode, context, isTimeAlone }) =>
      method === 'hybrid' && context && mode !== 'facts' && !isTimeAlone,
    rescore: async (sum, search) => {
      const examined = await examine(sum, search, pieces());
      if (!examined) return sum;
      const model = networkModel(examined.isOfEncoder ? 'encoder' : 'static');
      return scoreCandidates(sum, examined, model, search);
    },
  };
}

export function lazyPieces(tableOf: () => PieceTable): () => Pieces {
  let pieces: Pieces | undefined;
  return () => {
    if (!pieces) {
      const table = tableOf();
      pieces = { table, comparer: new PieceComparer(table) };
    }
    return pieces;
  };
}

const familyNames = Object.keys(families) as readonly FamilyName[];
/** Summand of every candidate before its own features: it ranks above all other matches. */
const placeAboveOthers = 'candidate';
const columns = familyNames.length + 1;

/** Minimum of the score range for candidates, and the share of that range in use. */
const rangeMin = 0.1;
const rangeShare = 0.99;

/**
 * Scores in the unit of the sum. The best candidate keeps the best sum, and every candidate is above
 * every other match. Scores of the network are scaled down if their range does not fit in between.
 */
function scoreCandidates(
  fused: Fused,
  { candidates, shares, values, known, traitsOf, restMost, best }: Examined,
  model: NetworkModel,
  { plan: { factors }, view }: { readonly plan: Pick<SearchPlan, 'factors'>; readonly view: IndexView },
): Fused {
  const network = runNetwork(model, values, candidates.length, factorsOf(factors));
  const raw = candidates.map((_, i) => model.scale * network.scores[i] + shares.kept(i));
  const most = Math.max(...raw);
  const range = Math.max(best - restMost, rangeMin);
  const unit = Math.min(1, (rangeShare * range) / (most - Math.min(...raw) || 1));
  const top = restMost + range;
  const scores = view.arrays.copyOf(fused.scores);
  const places = new Map<number, number>();
  for (const [i, { row }] of candidates.entries()) {
    places.set(row, i);
    scores[row] = top - unit * (most - raw[i]);
  }
  const writeGiven = (place: number, out: Float64Array, at: number) => {
    const given = network.givenTo(place);
    for (let f = 0; f < columns; f++) out[at + f] = unit * model.scale * given[f];
    out[at + restPlace] += top - unit * most;
  };
  const summands = [...fused.summands, ...familySummands];
  return {
    ...fused,
    scores,
    groups: [...new Set([...fused.groups, ...familySummands.map(({ group }) => group)])],
    summands,
    network: { ...outputOf(network.scores, values, places), known, traitsOf },
    valuesOf: (rows) => {
      const ofSum = fused.valuesOf(rows);
      const own = fused.summands.length;
      const all = new Float64Array(rows.length * summands.length);
      for (const [i, row] of rows.entries()) {
        const place = places.get(row);
        for (let f = 0; f < own; f++) {
          const value = ofSum[i * own + f];
          if (place === undefined) all[i * summands.length + f] = value;
          else if (!isReplaced(fused.summands[f].signal)) all[i * summands.length + f] = unit * value;
        }
        if (place !== undefined) writeGiven(place, all, i * summands.length + own);
      }
      return all;
    },
  };
}

function outputOf(
  scores: Float64Array,
  values: Float64Array,
  places: ReadonlyMap<number, number>,
): Pick<NetworkOutput, 'scoreOf' | 'valueOf'> {
  const least = Math.min(...scores);
  return {
    scoreOf: (row) => scores[places.get(row) ?? -1] ?? least,
    valueOf: (row, feature) => {
      const place = places.get(row);
      const at = placeOf[feature as FeatureName];
      return place === undefined || at === undefined ? 0 : values[place * featureCount + at];
    },
  };
}

interface NetworkRun {
  readonly scores: Float64Array;
  /** Contributions of the families to a candidate, in their order, then the rest. */
  readonly givenTo: (place: number) => Float64Array;
}

function runNetwork(
  model: NetworkModel,
  values: Float64Array,
  count: number,
  factors: Float64Array | undefined,
): NetworkRun {
  const z = new Float64Array(values.length);
  for (let i = 0; i < count; i++) standardise(model, values, factors, { out: z, at: i * featureCount });
  const places = placesIn(values);
  return {
    scores: scoresOf(model, z),
    givenTo: (place) => {
      const byFeature = new Float64Array(featureCount);
      const { rest } = scoreOf(model, z, place * featureCount, byFeature);
      const given = new Float64Array(columns);
      const isAlone = values[place * featureCount + placeOf.hasContext] === 0;
      for (let f = 0; f < featureCount; f++) {
        given[isAlone && isOfSurroundings[f] ? restPlace : places[f]] += byFeature[f];
      }
      given[restPlace] += rest;
      return given;
    },
  };
}

const restPlace = columns - 1;

/**
 * Index of the family of each feature. Features of the query, and features that no candidate has (such
 * as a time that the query does not name), belong to the rest: they are the same for all candidates.
 */
function placesIn(values: Float64Array): Int32Array {
  const places = new Int32Array(featureCount).fill(restPlace);
  for (let at = 0; at < values.length; at++)
    if (values[at] !== 0) places[at % featureCount] = familyPlaces[at % featureCount];
  return places;
}

const surroundings: ReadonlySet<string> = new Set<FamilyName>([
  'wordsAround',
  'questionBefore',
  'conversation',
  'similarityAround',
]);

/**
 * Whether each feature is of a memory's surroundings. A memory
 * alone in its conversation neither gains nor loses by them.
 */
const isOfSurroundings = featureNames.map((name) => surroundings.has(featureOwners[name]));

const familyPlaces = featureNames.map((name) => {
  const owner = featureOwners[name];
  return owner === 'query' ? restPlace : familyNames.indexOf(owner);
});

/** Factor of the request for each feature; undefined if all are 1. */
function factorsOf({ fulltext = 1, vector = 1 }: SearchPlan['factors']): Float64Array | undefined {
  if (fulltext === 1 && vector === 1) return undefined;
  return Float64Array.from(featureNames, (name) => {
    const owner = featureOwners[name];
    const factor = owner === 'query' ? undefined : factorOf(owner);
    if (factor === undefined) return 1;
    return factor === 'fulltext' ? fulltext : vector;
  });
}

function factorOf(family: FamilyName): 'fulltext' | 'vector' | undefined {
  const named = families[family];
  return 'factor' in named ? named.factor : undefined;
}

const prefix = 'rerank.';

/**
 * Whether a feature of the network is about the query's
 * words in a candidate, or about its rank as a candidate.
 */
export function isOfItself(signal: string): boolean {
  return signal === `${prefix}words` || signal === prefix + placeAboveOthers;
}

const familySummands: readonly Summand[] = [
  ...familyNames.map((name) => summandOf(name, families[name])),
  summandOf(placeAboveOthers, { phrase: 'being among the best matches', group: placeAboveOthers }),
];

function summandOf(
  signal: string,
  { phrase, group }: { readonly phrase: string; readonly group: string },
): Summand {
  return {
    signal: prefix + signal,
    part: 'self',
    group,
    phrase,
    factor: 1,
    perScore: 1,
    column: undefined,
    rate: undefined,
  };
}
