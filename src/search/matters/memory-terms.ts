import { analyze } from '../../search-index/analysis/index.ts';
import { comparedLengthMax } from './compared-text.ts';

/** Newest memories of a user whose terms are kept: about 2 MB for usual texts. */
export const memoriesMax = 5000;
/** Maximum memories of a term that counts: more common ones tell nothing. */
const listMax = 64;
/** Maximum terms of a text, and memories counted for one text. */
const termsMax = 64;
const countedMax = 1024;
/** Minimum share of the weight of a text's terms that a memory needs to be compared. */
const shareMin = 0.3;
/** Maximum memories compared with one text. */
const comparedMax = 4;

/** Terms of a user's newest memories, in the process. */
export class MemoryTerms {
  readonly #ids: string[] = [];
  readonly #rowsOf = new Map<string, number[]>();

  get size(): number {
    return this.#ids.length;
  }

  /** @param terms of its text, by `distinctTerms` */
  add(id: string, terms: readonly string[]): void {
    const row = this.#ids.push(id) - 1;
    for (const term of terms) {
      const rows = this.#rowsOf.get(term);
      if (rows) rows.push(row);
      else this.#rowsOf.set(term, [row]);
    }
  }

  /** Higher for rarer terms. */
  readonly weightOf = (term: string): number =>
    Math.log(1 + this.size / (this.#rowsOf.get(term)?.length ?? 1));

  /** Ids of the memories that share most of the text, the nearest first. */
  nearTo(content: string): string[] {
    const terms = distinctTerms(content);
    const shared = new Map<number, number>();
    let whole = 0;
    let counted = 0;
    for (const term of terms) {
      const rows = this.#rowsOf.get(term) ?? [];
      const weight = this.weightOf(term);
      whole += weight;
      if (rows.length > listMax || counted > countedMax) continue;
      counted += rows.length;
      for (const row of rows) shared.set(row, (shared.get(row) ?? 0) + weight);
    }
    const near = [...shared].filter(([, weight]) => weight >= whole * shareMin);
    near.sort((a, b) => b[1] - a[1] || b[0] - a[0]);
    return [...new Set(near.map(([row]) => this.#ids[row]))].slice(0, comparedMax);
  }
}

/** Terms of the beginning of a text, each once, at most 64. */
export const distinctTerms = (content: string): string[] =>
  [...new Set(analyze(content.slice(0, comparedLengthMax)))].slice(0, termsMax);
