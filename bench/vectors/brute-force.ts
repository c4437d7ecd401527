/** Unit vectors in one array, for brute force. */
export class ExactVectors {
  readonly #vectors: Float32Array;
  readonly #dimension: number;
  readonly size: number;

  constructor(vectors: readonly Float32Array[]) {
    this.#dimension = vectors[0].length;
    this.size = vectors.length;
    this.#vectors = new Float32Array(this.size * this.#dimension);
    for (const [i, vector] of vectors.entries()) this.#vectors.set(vector, i * this.#dimension);
  }

  at(i: number): Float32Array {
    return this.#vectors.subarray(i * this.#dimension, (i + 1) * this.#dimension);
  }

  /** Cosine of the query with every vector. */
  cosines(query: Float32Array): Float32Array {
    const cosines = new Float32Array(this.size);
    const vectors = this.#vectors;
    const dimension = this.#dimension;
    for (let i = 0, at = 0; i < cosines.length; i++, at += dimension) {
      let a = 0;
      let b = 0;
      let c = 0;
      let d = 0;
      for (let k = 0; k < dimension; k += 4) {
        a += vectors[at + k] * query[k];
        b += vectors[at + k + 1] * query[k + 1];
        c += vectors[at + k + 2] * query[k + 2];
        d += vectors[at + k + 3] * query[k + 3];
      }
      cosines[i] = a + b + c + d;
    }
    return cosines;
  }
}

/** Cosines closer than this are equal: the order of ties does not affect recall. */
const tie = 1e-6;

/** Counts the exact first `count` rows that pass (`requested`), and those of them in `found` (`kept`). */
export function recallOf(
  cosines: Float32Array,
  passes: (i: number) => boolean,
  found: readonly number[],
  count: number,
): { readonly kept: number; readonly requested: number } {
  const best: number[] = [];
  let least = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < cosines.length; i++) {
    if (cosines[i] <= least || !passes(i)) continue;
    best.push(cosines[i]);
    if (best.length < 2 * count) continue;
    best.sort((a, b) => b - a).length = count;
    least = best[count - 1];
  }
  best.sort((a, b) => b - a);
  const requested = Math.min(count, best.length);
  const last = best[requested - 1];
  const kept = found.filter((i) => passes(i) && cosines[i] >= last - tie).length;
  return { kept: Math.min(kept, requested), requested };
}
