import { similarityOf } from '../../domain/embedding/similarity.ts';
import type { Passage } from '../../domain/passages/passages.ts';
import { Breather } from '../../lib/loop-time.ts';
import type { IndexReader } from '../../search-index/ports.ts';
import type { DocCache } from '../../search-index/rows/doc-cache.ts';
import type { IndexView } from '../../search-index/rows/index-view.ts';
import { longTermsMin, TextPassages } from '../../search-index/rows/text-passages.ts';
import { cosine, toWholeQuery } from '../../search-index/vectors/quantize.ts';
import { idfOf, words } from '../arms/keyword-arm.ts';
import type { Near } from '../arms/near-in-spaces.ts';
import { isSemanticSignal, type SemanticSignal } from '../arms/semantic-arm.ts';
import { isFound, type Signal } from '../arms/signal.ts';
import type { LiveTerm } from '../query/words/live-terms.ts';
import { type PassageQuery, type PassageScores, scorePassages } from './score-passages.ts';

/** Long texts that are read, the best by words, and the best by vectors. */
const byWordsMax = 200;
const byVectorsMax = 50;
/** Terms of texts that are cut and analysed in one search: some 1 MB. */
const termsMax = 100_000;
const readAtOnce = 20;
/** Vectors of passages that are compared. */
const vectorsMax = 2000;
/** Weight of a passage's similarity next to its share of the query's words: a sum of words repeats them. */
const similarityWeight = { encoder: 1, static: 0.5 };
/** A second passage is shown that has this share of the value of the best. */
const secondShare = 0.6;
/**
 * The best of many passages is good by chance: its words count `1 / (1 + share * ln n)`, and its cosine
 * loses a share of the related cosine times `ln n`. Without it, long answers of an assistant rank above the short question with the fact (BEAM).
 */
const wordsByChance = 0.2;
const similarityByChance = 1 / 6;
const passagesByChanceMax = 16;

/** The passages of a long text that answer a query best: one or two. */
export interface FoundPassage {
  /** The best first; two with nothing between them are one. */
  readonly shown: readonly Passage[];
  /** Share of the query's words that the best has, and its similarity, weighed. */
  readonly value: number;
  /** Their numbers in the text. */
  readonly numbers: readonly number[];
  readonly text: TextPassages;
  /** Whether they have each of the query's terms. */
  readonly has: (term: number) => boolean;
  readonly termCount: number;
}

export interface FoundPassages {
  /** Undefined for a text of one passage, and for one too far from the best to be read. */
  of(row: number): FoundPassage | undefined;
  /** Idf of each of the query's terms among passages; absent without long texts. */
  readonly idfs?: readonly number[];
}

/** Signals with corrected scores, and the passages by which they were corrected. */
export interface InPassages {
  readonly signals: readonly Signal[];
  readonly passages: FoundPassages;
}

export interface PassagesInput {
  readonly view: IndexView;
  readonly reader: Pick<IndexReader, 'contentsOf' | 'vectorsOf'>;
  readonly cache: DocCache<TextPassages>;
  readonly terms: readonly LiveTerm[];
  readonly signals: readonly Signal[];
}

/**
 * Finds the best passage of each of the best long texts. The scores of a long text become those of its best
 * passage: a text does not match by words that are far apart in it. The similarity in responses stays.
 */
export async function findPassages(input: PassagesInput): Promise<InPassages> {
  const { view, terms, signals } = input;
  const ofWords = signals.filter(isFound).find(({ spec }) => spec.name === words.name);
  const ofVectors = signals.find(isSemanticSignal);
  const rows = longRows(view, ofWords, ofVectors?.near);
  if (rows.length === 0) return { signals, passages: { of: () => undefined } };
  const texts = await textsOf(rows, input);
  const idfs = terms.map((term) => idfOf(view.index, term));
  const query = { view, terms, idfs };
  const { idfs: among, scored } = scorePassages(query, texts);
  if (ofWords) correctScores(ofWords, view, scored);
  const similarities = ofVectors && (await similaritiesOf(texts, ofVectors.near, input));
  const found = new Map<number, FoundPassage>();
  for (const [row, text] of texts)
    found.set(row, bestOf(query, text, scored.get(row) as PassageScores, similarities?.get(row)));
  return {
    signals: signals.map((signal) => (isSemanticSignal(signal) ? withoutChance(signal, texts) : signal)),
    passages: { of: (row) => found.get(row), idfs: among },
  };
}

function withoutChance(signal: SemanticSignal, texts: ReadonlyMap<number, TextPassages>): SemanticSignal {
  const { near, scores } = signal;
  const cosines = new Map(near.cosines);
  for (const [row, text] of texts) {
    const cosine = cosines.get(row);
    if (cosine === undefined) continue;
    const loss = similarityByChance * near.relatedCosine * logOf(text.passages);
    cosines.set(row, cosine - loss);
    scores[row] = Math.max(0, scores[row] - loss);
  }
  return { ...signal, near: { ...near, cosines } };
}

function logOf({ length }: ArrayLike<unknown>): number {
  return Math.log(Math.min(length, passagesByChanceMax));
}

/** Rows that may be long, the best first by words, then by vectors. */
function longRows(
  { index }: IndexView,
  ofWords: { readonly rows: ArrayLike<number>; readonly scores: Float64Array } | undefined,
  near: Near | undefined,
): number[] {
  const { termCount } = index.columns;
  const matched: number[] = [];
  for (let i = 0; i < (ofWords?.rows.length ?? 0); i++) {
    const row = ofWords?.rows[i] ?? 0;
    if (termCount[row] >= longTermsMin) matched.push(row);
  }
  const scores = ofWords?.scores ?? new Float64Array();
  matched.sort((a, b) => scores[b] - scores[a] || a - b);
  const alike = [...(near?.cosines ?? [])].filter(([row]) => termCount[row] >= longTermsMin);
  alike.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  const nearest = alike.slice(0, byVectorsMax).map(([row]) => row);
  return [...new Set([...matched.slice(0, byWordsMax), ...nearest])];
}

/** Texts of more than one passage. */
async function textsOf(
  rows: readonly number[],
  { view: { index }, reader, cache }: PassagesInput,
): Promise<Map<number, TextPassages>> {
  const { columns, rev } = index;
  const texts = new Map<number, TextPassages>();
  const missing: number[] = [];
  let left = termsMax;
  for (const row of rows) {
    const known = cache.get(columns.docs[row]);
    if (known) texts.set(row, known);
    else if (left > 0) {
      left -= columns.termCount[row];
      missing.push(row);
    }
  }
  const breather = new Breather();
  for (let from = 0; from < missing.length; from += readAtOnce) {
    const docs = missing.slice(from, from + readAtOnce).map((row) => columns.docs[row]);
    for (const { doc, content } of await reader.contentsOf(docs)) {
      const pause = breather.pause();
      if (pause) await pause;
      const text = new TextPassages(content);
      texts.set(index.rowOf(doc), text);
      // A change during the read removed the text from the cache: it must not be added again.
      if (index.rev === rev) cache.add(doc, text);
    }
  }
  for (const [row, text] of texts) if (text.isWhole) texts.delete(row);
  return texts;
}

/** Long texts that were not read keep their order; each loses the average of what those that were read lost. */
function correctScores(
  { rows, scores }: { readonly rows: ArrayLike<number>; readonly scores: Float64Array },
  { index }: IndexView,
  scored: ReadonlyMap<number, PassageScores>,
): void {
  let before = 0;
  let after = 0;
  for (const [row, { scores: ofPassages }] of scored) {
    const best =
      ofPassages.reduce((most, score) => Math.max(most, score), 0) / (1 + wordsByChance * logOf(ofPassages));
    before += scores[row];
    after += Math.min(scores[row], best);
    scores[row] = best;
  }
  if (scored.size < byWordsMax || before === 0) return;
  for (let i = 0; i < rows.length; i++)
    if (index.columns.termCount[rows[i]] >= longTermsMin && !scored.has(rows[i]))
      scores[rows[i]] *= after / before;
}

/** Weighed similarity of each passage to the query, by row; 0 for one whose vector is still to be made. */
async function similaritiesOf(
  texts: ReadonlyMap<number, TextPassages>,
  { vector, space, relatedCosine, isOfEncoder }: Near,
  { view: { index }, reader }: PassagesInput,
): Promise<Map<number, Float64Array>> {
  const found = new Map<number, Float64Array>();
  const docs: number[] = [];
  let left = vectorsMax;
  for (const [row, { passages }] of texts) {
    left -= passages.length;
    if (left < 0) break;
    docs.push(index.columns.docs[row]);
    found.set(row, new Float64Array(passages.length));
  }
  const query = toWholeQuery(vector);
  const weight = similarityWeight[isOfEncoder ? 'encoder' : 'static'];
  for (const { doc, part, vector: own } of await reader.vectorsOf(space, docs)) {
    const similarities = found.get(index.rowOf(doc));
    if (similarities && part > 0 && part <= similarities.length)
      similarities[part - 1] = weight * similarityOf(cosine(query, own), relatedCosine);
  }
  return found;
}

function bestOf(
  { idfs }: PassageQuery,
  text: TextPassages,
  { scores, frequencies }: PassageScores,
  similarities: Float64Array | undefined,
): FoundPassage {
  const mass = idfs.reduce((sum, idf) => sum + idf, 0) || 1;
  const values = Array.from(scores, (score, p) => score / mass + (similarities?.[p] ?? 0));
  const order = [...values.keys()].sort((a, b) => values[b] - values[a] || a - b);
  const [best, second] = order;
  const numbers = values[second] > secondShare * values[best] ? [best, second] : [best];
  return {
    shown: shownOf(text.passages, numbers).map((passage) => text.runOn(passage)),
    value: values[best],
    numbers,
    text,
    has: (term) => numbers.some((number) => frequencies[term][number] > 0),
    termCount: numbers.reduce((sum, number) => sum + text.termCounts[number], 0),
  };
}

function shownOf(passages: readonly Passage[], numbers: readonly number[]): Passage[] {
  const [first, last] = [Math.min(...numbers), Math.max(...numbers)];
  if (last - first === 1) return [{ ...passages[first], end: passages[last].end }];
  return numbers.map((number) => passages[number]);
}
