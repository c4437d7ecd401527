import { similarityOf } from '../../domain/embedding/similarity.ts';
import type { FoundByMeaning } from '../fuse.ts';
import type { UserIndex } from '../index/user-index.ts';

/** What an answer says of how a memory was found by meaning. */
export interface MeaningOfRow {
  /** 0 to 1; null where it was not looked at or is below the threshold. */
  readonly similarity: number | null;
  /** Place among those that reach the threshold, from 1. */
  readonly rank: number | null;
  /** `pets ~ dog`: words of the query, and near words that the memory holds. */
  readonly nearWords: readonly string[];
}

/** Reads from what the arms kept; searches nothing again. */
export class Meanings {
  readonly #threshold: number;
  readonly #found: FoundByMeaning;
  readonly #ranks = new Map<number, number>();

  constructor(threshold: number, index: UserIndex, found: FoundByMeaning) {
    this.#threshold = threshold;
    this.#found = found;
    const { seqs } = index.columns;
    const order = [...found.nearness]
      .filter(([row]) => this.#similarityOf(row) !== null)
      .sort((a, b) => b[1] - a[1] || seqs[b[0]] - seqs[a[0]]);
    for (const [i, [row]] of order.entries()) this.#ranks.set(row, i + 1);
  }

  of(row: number): MeaningOfRow {
    return {
      similarity: this.#similarityOf(row),
      rank: this.#ranks.get(row) ?? null,
      nearWords: (this.#found.soft?.terms ?? []).flatMap(({ word, near, holders }) => {
        if (holds(holders, row)) return [];
        const held = near.find(({ rows }) => holds(rows, row));
        return held ? [`${word} ~ ${held.word}`] : [];
      }),
    };
  }

  #similarityOf(row: number): number | null {
    const cosine = this.#found.nearness.get(row);
    if (cosine === undefined) return null;
    const similarity = similarityOf(cosine, this.#found.halfSimilarityAt);
    return similarity >= this.#threshold ? similarity : null;
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
