import type { RowTest } from '../index/row-filter.ts';
import type { Estimates, HeldVectors } from './nearest-rows.ts';
import { VectorCodes } from './vector-codes.ts';
import type { WholeVectors } from './whole-vectors.ts';

/** Codes to pass over most vectors by, and the vectors themselves to compare the nearest exactly: 340 bytes for 256 numbers. */
export class CodedVectors implements HeldVectors {
  readonly isExact = true;
  readonly #whole: WholeVectors;
  /** Of the places in `#whole`. */
  readonly #codes: VectorCodes;

  /** Takes `whole` over. */
  constructor(whole: WholeVectors) {
    const centre = new Float32Array(whole.dimension);
    whole.each((_, vector, perLength) => {
      for (let i = 0; i < centre.length; i++) centre[i] += (vector[i] * perLength) / whole.size;
    });
    this.#whole = whole;
    this.#codes = new VectorCodes(whole.dimension, centre);
    let place = 0;
    whole.each((_, vector) => this.#codes.add(place++, vector));
  }

  get size(): number {
    return this.#whole.size;
  }

  get bytes(): number {
    return this.#whole.bytes + this.#codes.bytes;
  }

  add(row: number, vector: Int8Array): void {
    this.#codes.add(this.#whole.size, vector);
    this.#whole.add(row, vector);
  }

  nearest(query: Float32Array, count: number, isSeen: RowTest, passes?: RowTest): Estimates {
    const whole = this.#whole;
    const places = this.#codes.nearest(
      query,
      count,
      (place) => isSeen(whole.rowAt(place)),
      passes && ((place) => passes(whole.rowAt(place))),
    );
    const best: Estimates = new Map();
    for (const place of places.keys()) {
      const row = whole.rowAt(place);
      best.set(row, Math.max(best.get(row) ?? -1, whole.cosineAt(place, query)));
    }
    return best;
  }

  /** The codes alone; nothing else of this may be used from then on. */
  toCodes(): VectorCodes {
    this.#codes.renumber((place) => this.#whole.rowAt(place));
    return this.#codes;
  }
}
