import type { ImmediateEmbedder, VectorSpace } from '../../domain/embedding/embedder.ts';
import type { PieceSums } from './piece-sums.ts';
import type { StaticModel } from './static-model.ts';
import type { WordPieces } from './word-pieces.ts';

/** What every static embedder states. */
export const staticTraits = {
  /** Beyond this a memory cannot go anyway. */
  longestInput: 50_000,
  /** Random pairs of general English lie above in 3 % (the model's README). */
  relatedCosine: 0.3,
  version: '1',
} as const;

/** A text is the sum of the vectors of its word pieces: a look-up, no network, some 20 µs for a short text. */
export class StaticEmbedder implements ImmediateEmbedder {
  readonly space: VectorSpace;
  readonly longestInput = staticTraits.longestInput;
  readonly relatedCosine = staticTraits.relatedCosine;
  readonly #pieces: WordPieces;
  readonly #sums: PieceSums;

  constructor(name: string, model: StaticModel) {
    this.space = { model: name, dimension: model.dimension, version: staticTraits.version };
    this.#pieces = model.pieces;
    this.#sums = model.sums;
  }

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    return texts.map((text) => this.embedNow(text));
  }

  embedNow(text: string): Float32Array {
    const sum = this.#addUp(text);
    let square = 0;
    for (let i = 0; i < sum.length; i++) square += sum[i] * sum[i];
    const length = Math.sqrt(square);
    const unit = new Float32Array(sum.length);
    if (length > 0) for (let i = 0; i < sum.length; i++) unit[i] = sum[i] / length;
    return unit;
  }

  /** Ids of the known pieces of a text, in order. */
  piecesOf(text: string): number[] {
    const { unknown } = this.#pieces;
    const pieces = this.#pieces.tokensOf(text);
    return pieces.includes(unknown) ? pieces.filter((piece) => piece !== unknown) : pieces;
  }

  /** The vectors of all known pieces added up: frequent pieces are short, so they weigh little. */
  sumOf(text: string): Float64Array {
    return this.#addUp(text).slice();
  }

  #addUp(text: string): Float64Array {
    const { unknown } = this.#pieces;
    const pieces = this.#pieces.tokensOf(text);
    return this.#sums.of(pieces.includes(unknown) ? pieces.filter((piece) => piece !== unknown) : pieces);
  }
}
