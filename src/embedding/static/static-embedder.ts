import type { ImmediateEmbedder, VectorSpace } from '../../domain/embedding/embedder.ts';
import { dot } from '../../domain/embedding/similarity.ts';
import type { StaticModel } from './static-model.ts';

/** Beyond this a memory cannot go anyway. */
const longestInput = 50_000;

/** A text is the sum of the vectors of its word pieces: a look-up, no network, 50 µs for a short text. */
export class StaticEmbedder implements ImmediateEmbedder {
  readonly space: VectorSpace;
  readonly longestInput = longestInput;
  /** Random pairs of general English lie above in 3 % (the model's README). */
  readonly halfSimilarityAt = 0.3;
  readonly #model: StaticModel;

  constructor(name: string, model: StaticModel) {
    this.space = { model: name, dimension: model.dimension, version: '1' };
    this.#model = model;
  }

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    return texts.map((text) => this.embedNow(text));
  }

  embedNow(text: string): Float32Array {
    const sum = this.sumOf(text);
    const length = Math.sqrt(dot(sum, sum));
    const unit = new Float32Array(sum.length);
    if (length > 0) for (let i = 0; i < sum.length; i++) unit[i] = sum[i] / length;
    return unit;
  }

  /** The vectors of all known pieces added up: frequent pieces are short, so they weigh little. */
  sumOf(text: string): Float64Array {
    const { dimension, pieces, vectors, scales } = this.#model;
    const sum = new Float64Array(dimension);
    for (const token of pieces.tokensOf(text)) {
      if (token === pieces.unknown) continue;
      const scale = scales[token];
      const from = token * dimension;
      for (let i = 0; i < dimension; i++) sum[i] += vectors[from + i] * scale;
    }
    return sum;
  }
}
