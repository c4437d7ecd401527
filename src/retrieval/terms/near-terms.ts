import type { NearWord, NearWords } from '../../domain/embedding/near-words.ts';
import { RecentMap } from '../../lib/recent-map.ts';
import type { AnalyzeQuery } from '../ports.ts';

/** A near word as one term of our analyser. */
export interface NearTerm extends NearWord {
  readonly term: string;
  /** The same for the same term, from 0, below `nearTermsMax`. */
  readonly number: number;
}

/** More terms than the model has words, of which those beyond are no near terms. */
export const nearTermsMax = 65_536;
/** Words whose near terms are kept, in a generation of two: some 2 KB each. */
const wordsKept = 2000;

/** The near words of a model as terms, kept: stemming the same few thousand words took a fifth of a search. */
export class NearTerms {
  readonly #nearWords: NearWords;
  readonly #analyzeQuery: AnalyzeQuery;
  readonly #ofWord = new RecentMap<string, readonly NearTerm[]>(wordsKept);
  /** By word; '' for one that is no term, or several. */
  readonly #terms = new Map<string, string>();
  readonly #numbers = new Map<string, number>();

  constructor(nearWords: NearWords, analyzeQuery: AnalyzeQuery) {
    this.#nearWords = nearWords;
    this.#analyzeQuery = analyzeQuery;
  }

  /** The near words that are one term each, each term once, nearest first. */
  of(word: string): readonly NearTerm[] {
    const known = this.#ofWord.get(word);
    if (known) return known;
    const near = new Map<string, NearTerm>();
    for (const { word: other, closeness } of this.#nearWords.near(word)) {
      const term = this.#termOf(other);
      const number = this.#numberOf(term);
      if (term !== '' && number < nearTermsMax && !near.has(term))
        near.set(term, { word: other, closeness, term, number });
    }
    const found = [...near.values()];
    this.#ofWord.set(word, found);
    return found;
  }

  #termOf(word: string): string {
    const known = this.#terms.get(word);
    if (known !== undefined) return known;
    const terms = this.#analyzeQuery(word);
    const term = terms.length === 1 ? terms[0] : '';
    this.#terms.set(word, term);
    return term;
  }

  #numberOf(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    if (number < nearTermsMax) this.#numbers.set(term, number);
    return number;
  }
}

const known = new WeakMap<NearWords, NearTerms>();

/** One for each model: the analyser is the same for all. */
export function nearTermsOf(nearWords: NearWords, analyzeQuery: AnalyzeQuery): NearTerms {
  const former = known.get(nearWords);
  if (former) return former;
  const fresh = new NearTerms(nearWords, analyzeQuery);
  known.set(nearWords, fresh);
  return fresh;
}
