import type { Synonyms } from '../../domain/embedding/synonyms.ts';
import type { LiveTerm } from '../expand/live-terms.ts';
import { liveTerms, noRows } from '../expand/live-terms.ts';
import type { IndexView } from '../index/index-view.ts';
import { rowsContaining } from '../index/term-postings.ts';
import { inVocabulary } from '../index/vocabulary-cache.ts';
import type { AnalyzeQuery, IndexReader } from '../ports.ts';
import { inverseDocumentFrequency } from '../rank/bm25.ts';
import type { QueryWord } from '../terms/query-words.ts';
import { synonymTermsOf } from '../terms/synonym-terms.ts';

/** Near words of one query word that count, the nearest that the user's memories hold. */
const synonymsMax = 8;
const wordsMax = 32;
const closenessMin = 0.3;

/** A word of the query that also counts through near words. */
export interface SoftTerm {
  readonly word: string;
  /** Near words that memories hold, nearest first, with the rows that hold them, rising. */
  readonly near: readonly { readonly word: string; readonly rows: Int32Array }[];
  /** Rows that hold the word itself, rising: to them near words give nothing. */
  readonly holders: Int32Array;
}

export interface SoftMatches {
  readonly terms: readonly SoftTerm[];
  /** Over the words of the query the best near word that the row holds, added up; 0 for rows that hold none. */
  readonly scores: Float64Array;
  readonly rows: readonly number[];
}

export interface SoftInput {
  readonly reader: IndexReader;
  readonly view: IndexView;
  readonly synonyms: Synonyms;
  readonly analyzeQuery: AnalyzeQuery;
  readonly words: readonly QueryWord[];
  /** Of the query, as typed. */
  readonly typed: readonly LiveTerm[];
}

/**
 * Each word of the query counts up to 8 near words of the user's own vocabulary: (closeness - 0.3) / 0.7 times the
 * smaller idf of both. A memory that holds the word itself gains nothing for it (ADR 22).
 */
export async function softTerms(input: SoftInput): Promise<SoftMatches> {
  const { index } = input.view;
  const typed = new Map(input.typed.map((live) => [live.term, live]));
  const words = await heldNearTerms(input, typed);
  const sums = new RowSums(index.size);
  const terms: SoftTerm[] = [];
  for (const { word, own, near } of words) {
    const idf = inverseDocumentFrequency(index.documents, own?.documentFrequency ?? 0);
    const holders = own?.rows ?? noRows;
    for (const { live, closeness } of near) {
      const weight =
        ((closeness - closenessMin) / (1 - closenessMin)) *
        Math.min(idf, inverseDocumentFrequency(index.documents, live.documentFrequency));
      sums.offer(live.rows, weight);
    }
    sums.addBest(holders);
    terms.push({ word, near: near.map((each) => ({ word: each.word, rows: each.live.rows })), holders });
  }
  return { terms, scores: sums.scores, rows: sums.rows };
}

/** Sums by row of the best weight that each word offers it. */
class RowSums {
  readonly scores: Float64Array;
  readonly rows: number[] = [];
  /** The best of the word at hand by row, and the rows that have one. */
  readonly #best: Float64Array;
  readonly #offered: number[] = [];

  constructor(size: number) {
    this.scores = new Float64Array(size);
    this.#best = new Float64Array(size);
  }

  offer(rows: Int32Array, weight: number): void {
    if (weight <= 0) return;
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i];
      if (this.#best[row] === 0) this.#offered.push(row);
      if (weight > this.#best[row]) this.#best[row] = weight;
    }
  }

  /** Adds what the word offered to all rows but those that hold the word itself. */
  addBest(holders: Int32Array): void {
    for (let i = 0; i < holders.length; i++) this.#best[holders[i]] = 0;
    for (const row of this.#offered) {
      const best = this.#best[row];
      if (best === 0) continue;
      if (this.scores[row] === 0) this.rows.push(row);
      this.scores[row] += best;
      this.#best[row] = 0;
    }
    this.#offered.length = 0;
  }
}

interface WordWithNear {
  readonly word: string;
  readonly own: LiveTerm | undefined;
  /** Nearest first. */
  readonly near: readonly { readonly word: string; readonly live: LiveTerm; readonly closeness: number }[];
}

/** The words that have near words in the user's vocabulary, with these; all words in two reads. */
async function heldNearTerms(
  { reader, view, synonyms, analyzeQuery, words }: SoftInput,
  typed: ReadonlyMap<string, LiveTerm>,
): Promise<WordWithNear[]> {
  const asked = words.slice(0, wordsMax);
  const nearTerms = synonymTermsOf(synonyms, analyzeQuery);
  const offered = asked.map(({ word }) => nearTerms.of(word));
  const held = await inVocabulary(
    reader,
    view.index,
    offered.map(({ terms }) => terms),
  );
  const near = offered.map(({ terms, closeness }, i) => {
    const kept: { word: string; term: string; closeness: number }[] = [];
    for (let t = 0; t < terms.length && kept.length < synonymsMax; t++) {
      const { word, term } = terms[t];
      if (held[i][t] === 1 && !typed.has(term)) kept.push({ word, term, closeness: closeness[t] });
    }
    return kept;
  });
  const wanted = [...new Set(near.flatMap((list) => list.map(({ term }) => term)))];
  if (wanted.length === 0) return [];
  const live = liveTerms(view, wanted, await rowsContaining(reader, view.index, wanted));
  const liveOf = new Map(live.map((each) => [each.term, each]));
  return asked
    .map(({ term, word }, i) => ({
      word,
      own: typed.get(term),
      near: near[i].flatMap(({ word, term, closeness }) => {
        const found = liveOf.get(term);
        return found ? [{ word, live: found, closeness }] : [];
      }),
    }))
    .filter(({ near }) => near.length > 0);
}
