import type { Synonyms } from '../../domain/embedding/similarity.ts';
import { RecentMap } from '../../lib/collections.ts';
import type { AnalyzeQuery } from '../ports.ts';

/** A synonym as one term of our analyser. */
export interface SynonymTerm {
  readonly word: string;
  readonly term: string;
  /** Equal for equal terms; from 0, below `synonymTermsMax`. */
  readonly number: number;
}

export interface SynonymsOfWord {
  /** Each term once, nearest first. */
  readonly terms: readonly SynonymTerm[];
  /** 0.3 to 1, one for each of `terms`. */
  readonly closeness: readonly number[];
}

/** Maximum terms, above the number of the model's words; further ones are not synonyms. */
export const synonymTermsMax = 65_536;
/** Number of words in a generation of the cache (there are two): some 600 bytes each. */
const wordsKept = 16_384;

/** Caches a model's synonyms as terms: stemming the same few thousand words took a fifth of a search. */
export class SynonymTerms {
  readonly #synonyms: Synonyms;
  readonly #analyzeQuery: AnalyzeQuery;
  readonly #ofWord = new RecentMap<string, SynonymsOfWord>(wordsKept);
  /** By synonym; null for one that is not a single term. */
  readonly #terms = new Map<string, SynonymTerm | null>();
  readonly #numbers = new Map<string, number>();

  constructor(synonyms: Synonyms, analyzeQuery: AnalyzeQuery) {
    this.#synonyms = synonyms;
    this.#analyzeQuery = analyzeQuery;
  }

  of(word: string): SynonymsOfWord {
    const known = this.#ofWord.get(word);
    if (known) return known;
    const terms: SynonymTerm[] = [];
    const closenessOf: number[] = [];
    for (const { word: other, closeness } of this.#synonyms.near(word)) {
      const near = this.#termOf(other);
      if (near === null || terms.some(({ number }) => number === near.number)) continue;
      terms.push(near);
      closenessOf.push(closeness);
    }
    const found = { terms, closeness: closenessOf };
    this.#ofWord.set(word, found);
    return found;
  }

  #termOf(word: string): SynonymTerm | null {
    const known = this.#terms.get(word);
    if (known !== undefined) return known;
    const terms = this.#analyzeQuery(word);
    const number = terms.length === 1 ? this.#numberOf(terms[0]) : synonymTermsMax;
    const near = number < synonymTermsMax ? { word, term: terms[0], number } : null;
    this.#terms.set(word, near);
    return near;
  }

  #numberOf(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    if (number < synonymTermsMax) this.#numbers.set(term, number);
    return number;
  }
}
