import type { PieceTable } from '../../../domain/embedding/embedder.ts';
import { analyzeQuery } from '../../../search-index/analysis/index.ts';
import type { IndexView } from '../../../search-index/rows/index-view.ts';
import type { TextTraits } from '../../../search-index/rows/text-traits.ts';
import type { Near } from '../../arms/near-in-spaces.ts';
import { isSemanticSignal } from '../../arms/semantic-arm.ts';
import { isFound } from '../../arms/signal.ts';
import type { FoundPassage, FoundPassages } from '../../passages/find-passages.ts';
import type { SearchPlan } from '../../query/plan.ts';
import { type LiveTerm, speakersNamed } from '../../query/words/live-terms.ts';
import { includesRow } from '../../scores/order.ts';
import type { Fused, KnownWords } from '../fuse/fuse.ts';
import type { RankContext } from '../rescorer.ts';
import {
  type Candidate,
  type ChosenCandidates,
  chooseCandidates,
  type Nearness,
  nearnessOf,
  rowsRead,
} from './candidates.ts';
import { type FeatureName, featureCount, placeOf } from './feature-names.ts';
import { coverageOf, knownWordsOf, nothingKnown, queryTermsOf } from './query-coverage.ts';
import { type SumShares, sumSharesOf } from './sum-shares.ts';
import { type PieceComparer, queryPieces, traitsOf } from './word-pieces.ts';

type ExamineInput = Omit<RankContext, 'preferences' | 'newerOf' | 'memoriesOf'>;

/** Word pieces and the comparer of their vectors. */
export interface Pieces {
  readonly table: PieceTable;
  readonly comparer: PieceComparer;
}

/** Candidates with all inputs of the network. */
export interface Examined extends ChosenCandidates {
  readonly shares: SumShares;
  /** All features of each candidate, one candidate after the other. */
  readonly values: Float64Array;
  readonly known: KnownWords;
  /** Text traits of candidates and their neighbours. */
  readonly traitsOf: (row: number) => TextTraits | undefined;
  readonly isOfEncoder: boolean;
}

/** Undefined if nothing was found or vectors did not rank: the weighted sum then stays. */
export async function examine(
  fused: Fused,
  { plan, view, passes, terms, weights, reader, traits, passages }: ExamineInput,
  { table, comparer }: Pieces,
): Promise<Examined | undefined> {
  const near = fused.signals.find(isSemanticSignal)?.near;
  if (!near || fused.rows.length === 0) return undefined;
  const rows = fused.rows instanceof Int32Array ? fused.rows : Int32Array.from(fused.rows).sort();
  const nearness = nearnessOf(near, view, passes, (row) => includesRow(rows, row));
  const chosen = chooseCandidates(fused, view, nearness);
  const { candidates } = chosen;
  const rowsOfCandidates = candidates.map(({ row }) => row);
  const shares = sumSharesOf(fused, rowsOfCandidates, weights, plan.factors);
  const read = rowsRead(candidates);
  const traitsByRow = await traitsOfRows(read, view, { reader, traits, passages, table });
  const withoutVectors = rowsWithoutVectors(near, read, view);
  const { values, known } = featureValues({
    plan,
    view,
    terms,
    fused,
    passages,
    nearness,
    withoutVectors,
    candidates,
    shares,
    traitsOf: (row) => traitsByRow.get(row) ?? unknownText,
    comparer,
    table,
  });
  return {
    ...chosen,
    shares,
    values,
    known,
    traitsOf: (row) => traitsByRow.get(row),
    isOfEncoder: nearness.isOfEncoder,
  };
}

/** Traits of a memory that was erased during the search. */
const unknownText: TextTraits = { pieces: new Uint16Array(), hasNumber: false, names: 0, valueKinds: 0 };

async function traitsOfRows(
  rows: readonly number[],
  { index }: IndexView,
  {
    reader,
    traits,
    passages,
    table,
  }: Pick<ExamineInput, 'reader' | 'traits' | 'passages'> & Pick<Pieces, 'table'>,
): Promise<Map<number, TextTraits>> {
  const { columns, rev } = index;
  const found = new Map<number, TextTraits>();
  const missing = new Map<number, number>();
  for (const row of rows) {
    const doc = columns.docs[row];
    const passage = passages.of(row);
    const known = passage ? traitsOfPassage(passage, table) : traits.get(doc);
    if (known) found.set(row, known);
    else missing.set(doc, row);
  }
  if (missing.size === 0) return found;
  for (const { doc, content } of await reader.contentsOf([...missing.keys()])) {
    const row = missing.get(doc);
    if (row === undefined) continue;
    const own = traitsOf(content, table);
    found.set(row, own);
    // A change during the read removes traits from the cache, so traits read before it must not be added.
    if (index.rev === rev) traits.add(doc, own);
  }
  return found;
}

function traitsOfPassage({ text, numbers }: FoundPassage, table: PieceTable): TextTraits {
  const all = numbers.map((number) => {
    text.traits[number] ??= traitsOf(text.textOf(number), table);
    return text.traits[number];
  });
  if (all.length === 1) return all[0];
  return {
    pieces: Uint16Array.from(new Set(all.flatMap(({ pieces }) => [...pieces]))).sort(),
    hasNumber: all.some(({ hasNumber }) => hasNumber),
    names: all.reduce((sum, { names }) => sum + names, 0),
    valueKinds: all.reduce((bits, { valueKinds }) => bits | valueKinds, 0),
  };
}

/** The data of one search that its features need. */
interface CandidatesInput {
  readonly plan: Pick<SearchPlan, 'query' | 'terms'>;
  readonly view: IndexView;
  readonly terms: readonly LiveTerm[];
  readonly fused: Fused;
  readonly passages: FoundPassages;
  readonly nearness: Nearness;
  /** Rows whose vectors are still to be made. */
  readonly withoutVectors: ReadonlySet<number>;
  readonly candidates: readonly Candidate[];
  readonly shares: SumShares;
  /** Text traits of candidates and their neighbours. */
  readonly traitsOf: (row: number) => TextTraits;
  readonly comparer: PieceComparer;
  readonly table: PieceTable;
}

/** Pieces with a cosine above this are alike. */
const alikeMin = 0.35;

interface CandidateValues {
  /** All features of each candidate, one candidate after the other. */
  readonly values: Float64Array;
  readonly known: KnownWords;
}

/** Pure: equal to the last digit for equal input. */
function featureValues(input: CandidatesInput): CandidateValues {
  const { candidates, shares } = input;
  const values = new Float64Array(candidates.length * featureCount);
  const writerAt = (place: number) => (name: FeatureName, value: number) => {
    values[place * featureCount + placeOf[name]] = value;
  };
  for (const [i, candidate] of candidates.entries()) {
    shares.write(i, writerAt(i));
    writePlace(input, candidate, writerAt(i));
    writeNearness(input, candidate, writerAt(i));
  }
  fillNearness(input, values);
  writeWords(input, writerAt);
  return { values, known: writeMaxSim(input, writerAt) };
}

type WriterAt = (place: number) => (name: FeatureName, value: number) => void;
type Write = ReturnType<WriterAt>;

function writePlace({ traitsOf }: CandidatesInput, candidate: Candidate, write: Write): void {
  const { hasNumber, names } = traitsOf(candidate.row);
  write('place', candidate.place);
  write('hasContext', candidate.before >= 0 || candidate.after >= 0 ? 1 : 0);
  write('hasNumber', hasNumber ? 1 : 0);
  write('names', names);
}

function writeNearness(
  { nearness, view: { index } }: CandidatesInput,
  { row, before, after }: Candidate,
  write: Write,
): void {
  const { of, ofConversation, best, bestConversation } = nearness;
  const perBest = 1 / (best || 1);
  const whole = ofConversation(index.columns.conversation[row]);
  write('similarity', of(row));
  write('similarityBefore', of(before));
  write('similarityAfter', of(after));
  write('similarityOfConversation', whole);
  write('similarityOfBest', of(row) * perBest);
  write('similarityBeforeOfBest', of(before) * perBest);
  write('similarityAfterOfBest', of(after) * perBest);
  write('conversationOfBest', whole / (bestConversation || 1));
  write('querySimilarity', best);
}

function writeWords(input: CandidatesInput, writerAt: WriterAt): void {
  const { plan, view, terms, fused, candidates, passages } = input;
  const { index } = view;
  const named = speakersNamed(plan.terms, terms, view);
  const query = queryTermsOf({ view, typed: plan.terms, terms, nameTerms: named.words, passages });
  const own = fused.signals.filter(isFound).find(({ spec }) => spec.name === 'words')?.scores;
  const coverages = candidates.map((candidate) => coverageOf(query, candidate));
  const best = coverages.reduce((most, coverage) => Math.max(most, coverage.own), 0);
  for (const [i, { row }] of candidates.entries()) {
    const write = writerAt(i);
    const coverage = coverages[i];
    const speaker = index.columns.speaker[row];
    write('ownOfQuery', (own?.[row] ?? 0) / (query.mass || 1));
    write('coverage', coverage.own);
    write('coverageWithBefore', coverage.withBefore);
    write('coverageAround', coverage.around);
    write('ownWithoutNames', coverage.ownWithoutNames);
    write('otherSpeaker', named.speakers.size > 0 && speaker >= 0 && !named.speakers.has(speaker) ? 1 : 0);
    write('queryCoverage', best);
    write('queryTerms', Math.min(plan.terms.length, queryTermsMax));
    write('queryNames', Math.min(named.speakers.size, queryNamesMax));
  }
}

/** Cap of the number of terms, above that of any question: a pasted text counts as this long. */
const queryTermsMax = 12;
const queryNamesMax = 3;

function writeMaxSim(input: CandidatesInput, writerAt: WriterAt): KnownWords {
  const { plan, terms, view, candidates, traitsOf, comparer, table } = input;
  const names = speakersNamed(plan.terms, terms, view).words;
  const query = queryPieces(plan.query, names, table);
  if (query.length === 0) return nothingKnown;
  const pieces = new Map(rowsRead(candidates).map((row) => [row, traitsOf(row).pieces]));
  const { nearest, reverse, weights, lengths } = comparer.compare(query, pieces.values());
  const sims = new Map<number, Float64Array>();
  for (const [row, own] of pieces) {
    const sim = new Float64Array(query.length);
    nearest(own, sim);
    sims.set(row, sim);
  }
  const none = new Float64Array(query.length);
  const simOf = (row: number) => sims.get(row) ?? none;
  const means = candidates.map(({ row }) => meanOf(simOf(row), weights));
  const best = Math.max(...means);
  /** Highest cosine of each query piece to a piece of any candidate or its neighbours. */
  const known = new Float64Array(query.length);
  for (const [i, candidate] of candidates.entries()) {
    const write = writerAt(i);
    const { row } = candidate;
    const own = simOf(row);
    const before = simOf(candidate.before);
    const after = simOf(candidate.after);
    write('maxSim', means[i]);
    write('maxSimOfBest', means[i] / (best || 1));
    write('maxSimAbove', meanOf(own, weights, aboveAlike));
    write('maxSimLeast', Math.min(...own));
    write('maxSimBefore', meanOf(before, weights));
    write('maxSimReverse', reverse(pieces.get(row) ?? noPieces));
    write('queryMaxSim', best);
    writeAround(write, { own, before, after, weights, known });
  }
  const unknown = known.reduce((most, cosine, q) => Math.max(most, weights[q] * (1 - cosine)), 0);
  for (let i = 0; i < candidates.length; i++) writerAt(i)('queryMissingWord', unknown);
  const pieceTexts = query.map((piece) => table.vocabulary[piece]);
  return knownWordsOf({ pieces: pieceTexts, lengths, nearest: known }, isNameAmong(names));
}

/** Features of a candidate read with its neighbours; raises `known` to its cosines. */
function writeAround(
  write: ReturnType<WriterAt>,
  {
    own,
    before,
    after,
    weights,
    known,
  }: Record<'own' | 'before' | 'after' | 'weights' | 'known', Float64Array>,
): void {
  let withBefore = 0;
  let withBoth = 0;
  let missing = 0;
  for (let q = 0; q < own.length; q++) {
    const earlier = Math.max(own[q], before[q]);
    const any = Math.max(earlier, after[q]);
    withBefore += weights[q] * earlier;
    withBoth += weights[q] * any;
    missing = Math.max(missing, weights[q] * (1 - any));
    known[q] = Math.max(known[q], any);
  }
  write('maxSimWithBefore', withBefore);
  write('maxSimAround', withBoth);
  write('missingWord', missing);
}

/** @param names terms of the names of speakers */
function isNameAmong(names: ReadonlySet<string>): (word: string) => boolean {
  return (word) => analyzeQuery(word).some((term) => names.has(term));
}

const noPieces = new Uint16Array();

function aboveAlike(cosine: number): number {
  return Math.max(0, cosine - alikeMin) / (1 - alikeMin);
}

function meanOf(sims: Float64Array, weights: Float64Array, measure?: (cosine: number) => number): number {
  let sum = 0;
  for (let q = 0; q < sims.length; q++) sum += weights[q] * (measure ? measure(sims[q]) : sims[q]);
  return sum;
}

const none: ReadonlySet<number> = new Set();

/** The rows whose vectors are not computed yet: their similarity is unknown. */
function rowsWithoutVectors(
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

interface FillInput {
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
function fillNearness({ candidates, withoutVectors }: FillInput, values: Float64Array): void {
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
