import { featureHash } from './feature-hash.ts';

/** The feature rows of one decision; reused for the next decision. */
export class FeatureList {
  readonly rows: Int32Array;
  readonly #mask: number;
  count = 0;

  constructor(max: number, mask: number) {
    this.rows = new Int32Array(max);
    this.#mask = mask;
  }

  clear(): void {
    this.count = 0;
  }

  /** Adds the feature of a name and its values; ignored if the list is full. */
  add(name: string, first = '', second = '', third = ''): void {
    this.addHash(featureHash(name, first, second, third));
  }

  addHash(hash: number): void {
    if (this.count < this.rows.length) this.rows[this.count++] = hash & this.#mask;
  }

  addHashes(hashes: readonly number[]): void {
    for (const hash of hashes) this.addHash(hash);
  }
}

/** Index of the greatest score; the first one if several are equal. */
export function indexOfGreatest(scores: Float32Array): number {
  let best = 0;
  for (let c = 1; c < scores.length; c++) if (scores[c] > scores[best]) best = c;
  return best;
}
