import { similarityOf } from '../../domain/embedding/similarity.ts';
import type { FoundByMeaning } from '../fuse/fuse.ts';
import type { UserIndex } from '../index/user-index.ts';

/** What an answer says of how a memory was found by meaning. */
export interface MeaningOfRow {
  /** 0 to 1; null where it was not looked at or is below the threshold. */
  readonly similarity: number | null;
  /** Place among those that reach the threshold, from 1. */
  readonly rank: number | null;
  /** `pets ~ dog`: words of the query, and near words that the memory holds. */
  readonly synonyms: readonly string[];
}

/** Reads from what the arms kept; searches nothing again. */
export class Meanings {
  readonly #threshold: number;
  readonly #found: FoundByMeaning;
  readonly #seqs: Float64Array;
  /** Those that reach the threshold. */
  readonly #rows: number[] = [];
  readonly #cosines: number[] = [];

  constructor(threshold: number, index: UserIndex, found: FoundByMeaning) {
    this.#threshold = threshold;
    this.#found = found;
    this.#seqs = index.columns.seqs;
    for (const [row, cosine] of found.nearness) {
      if (!this.#reaches(cosine)) continue;
      this.#rows.push(row);
      this.#cosines.push(cosine);
    }
  }

  of(row: number): MeaningOfRow {
    return {
      similarity: this.#similarityOf(row),
      rank: this.#rankOf(row),
      synonyms: this.#nearWordsOf(row),
    };
  }

  #nearWordsOf(row: number): string[] {
    const { soft } = this.#found;
    if (!soft || soft.scores[row] === 0) return [];
    return soft.terms.flatMap(({ word, near, holders }) => {
      if (holds(holders, row)) return [];
      const held = near.find(({ rows }) => holds(rows, row));
      return held ? [`${word} ~ ${held.word}`] : [];
    });
  }

  #similarityOf(row: number): number | null {
    const cosine = this.#found.nearness.get(row);
    if (cosine === undefined) return null;
    return this.#reaches(cosine) ? similarityOf(cosine, this.#found.halfSimilarityAt) : null;
  }

  #reaches(cosine: number): boolean {
    return similarityOf(cosine, this.#found.halfSimilarityAt) >= this.#threshold;
  }

  /** Of those as near as each other the newest comes first. Few are asked for: counting costs less than sorting all. */
  #rankOf(row: number): number | null {
    const own = this.#found.nearness.get(row);
    if (own === undefined || !this.#reaches(own)) return null;
    const [rows, cosines, seqs] = [this.#rows, this.#cosines, this.#seqs];
    let rank = 1;
    for (let i = 0; i < rows.length; i++) {
      if (cosines[i] < own) continue;
      if (cosines[i] > own || seqs[rows[i]] > seqs[row]) rank++;
    }
    return rank;
  }
}

/** @param rows rising */
function holds(rows: Int32Array, row: number): boolean {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle] < row) low = middle + 1;
    else high = middle;
  }
  return rows[low] === row;
}
