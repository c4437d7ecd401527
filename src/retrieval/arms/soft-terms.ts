import type { NearWord, NearWords } from '../../domain/embedding/near-words.ts';
import { heldAmong } from '../index/held-terms.ts';
import type { Moment } from '../index/moment.ts';
import { holdersOf } from '../index/term-postings.ts';
import type { AnalyzeQuery, IndexReader } from '../ports.ts';
import { inverseDocumentFrequency } from '../rank/bm25.ts';
import type { QueryWord } from '../terms/query-words.ts';
import type { LiveTerm } from './live-terms.ts';
import { liveTerms } from './live-terms.ts';

/** Near words of one query word that count, the nearest that the user's memories hold. */
const nearWordsMax = 8;
const wordsMax = 32;
const closenessMin = 0.3;

/** A word of the query that also counts through near words. */
export interface SoftTerm {
  readonly word: string;
  /** Near words that memories hold, nearest first, with the rows that hold them, rising. */
  readonly near: readonly { readonly word: string; readonly rows: readonly number[] }[];
  /** Rows that hold the word itself, rising: to them near words give nothing. */
  readonly holders: readonly number[];
}

export interface SoftMatches {
  readonly terms: readonly SoftTerm[];
  /** Over the words of the query the best near word that the row holds, added up; 0 for rows that hold none. */
  readonly scores: Float64Array;
  readonly rows: readonly number[];
}

export interface SoftInput {
  readonly reader: IndexReader;
  readonly moment: Moment;
  readonly nearWords: NearWords;
  readonly analyzeQuery: AnalyzeQuery;
  readonly words: readonly QueryWord[];
  /** Of the query, as typed. */
  readonly typed: readonly LiveTerm[];
}

/**
 * Each word of the query counts up to 8 near words of the user's own vocabulary: (closeness - 0.3) / 0.7 times the
 * smaller idf of both. A memory that holds the word itself gains nothing for it (design, section 7).
 */
export async function softTerms(input: SoftInput): Promise<SoftMatches> {
  const { index } = input.moment;
  const typed = new Map(input.typed.map((live) => [live.term, live]));
  const words = await heldNearTerms(input, typed);
  const sums = new RowSums(index.size);
  const terms: SoftTerm[] = [];
  for (const { word, own, near } of words) {
    const idf = inverseDocumentFrequency(index.documents, own?.documentFrequency ?? 0);
    const holders = own?.rows ?? [];
    const best = new Map<number, number>();
    for (const { live, closeness } of near) {
      const weight =
        ((closeness - closenessMin) / (1 - closenessMin)) *
        Math.min(idf, inverseDocumentFrequency(index.documents, live.documentFrequency));
      for (const row of live.rows) if (weight > (best.get(row) ?? 0)) best.set(row, weight);
    }
    for (const row of holders) best.delete(row);
    for (const [row, weight] of best) sums.add(row, weight);
    terms.push({ word, near: near.map((each) => ({ word: each.word, rows: each.live.rows })), holders });
  }
  return { terms, scores: sums.scores, rows: sums.rows };
}

class RowSums {
  readonly scores: Float64Array;
  readonly rows: number[] = [];

  constructor(size: number) {
    this.scores = new Float64Array(size);
  }

  add(row: number, value: number): void {
    if (this.scores[row] === 0) this.rows.push(row);
    this.scores[row] += value;
  }
}

/** A near word as one term of our analyser. */
interface NearTerm extends NearWord {
  readonly term: string;
}

interface WordWithNear {
  readonly word: string;
  readonly own: LiveTerm | undefined;
  /** Nearest first. */
  readonly near: readonly { readonly word: string; readonly live: LiveTerm; readonly closeness: number }[];
}

/** The words that have near words in the user's vocabulary, with these; all words in two reads. */
async function heldNearTerms(
  { reader, moment, nearWords, analyzeQuery, words }: SoftInput,
  typed: ReadonlyMap<string, LiveTerm>,
): Promise<WordWithNear[]> {
  const candidates = words.slice(0, wordsMax).map(({ term, word }) => ({
    word,
    own: typed.get(term),
    near: nearTermsOf(word, nearWords, analyzeQuery).filter((near) => !typed.has(near.term)),
  }));
  const offered = new Set(candidates.flatMap(({ near }) => near.map(({ term }) => term)));
  if (offered.size === 0) return [];
  const held = await heldAmong(reader, moment.index, [...offered]);
  const chosen = candidates.map((each) => ({
    ...each,
    near: each.near.filter(({ term }) => held.has(term)).slice(0, nearWordsMax),
  }));
  const wanted = [...new Set(chosen.flatMap(({ near }) => near.map(({ term }) => term)))];
  if (wanted.length === 0) return [];
  const live = liveTerms(moment, wanted, await holdersOf(reader, moment.index, wanted));
  const liveOf = new Map(live.map((each) => [each.term, each]));
  return chosen
    .map((each) => ({
      ...each,
      near: each.near.flatMap(({ word, term, closeness }) => {
        const found = liveOf.get(term);
        return found ? [{ word, live: found, closeness }] : [];
      }),
    }))
    .filter(({ near }) => near.length > 0);
}

/** Words whose terms are kept: about as many as the model has; more would be other languages and slips. */
const termsKeptMax = 40_000;
const termsKept = new WeakMap<AnalyzeQuery, Map<string, string>>();

/** The near words that are one term each, each term once, nearest first. */
function nearTermsOf(word: string, nearWords: NearWords, analyzeQuery: AnalyzeQuery): NearTerm[] {
  const near = new Map<string, NearTerm>();
  for (const each of nearWords.near(word)) {
    const term = oneTermOf(each.word, analyzeQuery);
    if (term !== '' && !near.has(term)) near.set(term, { ...each, term });
  }
  return [...near.values()];
}

/** '' for a word that is no term, or several. Stemming the same few thousand near words took a fifth of a search. */
function oneTermOf(word: string, analyzeQuery: AnalyzeQuery): string {
  const kept = termsKept.get(analyzeQuery) ?? new Map<string, string>();
  termsKept.set(analyzeQuery, kept);
  const known = kept.get(word);
  if (known !== undefined) return known;
  const terms = analyzeQuery(word);
  const term = terms.length === 1 ? terms[0] : '';
  if (kept.size < termsKeptMax) kept.set(word, term);
  return term;
}
