/** Kind of a text: some models expect queries and documents to be marked differently. */
export type TextKind = 'document' | 'query';

/** Vectors can be compared only within one space. */
export interface VectorSpace {
  readonly model: string;
  readonly dimension: number;
  /** Another version of the same model gives other vectors. */
  readonly version: string;
}

/** How a space is named where its vectors are kept. */
export function spaceName({ model, dimension, version }: VectorSpace): string {
  return `${model}/${dimension}/${version}`;
}

/** Turns texts into unit vectors whose cosine is their semantic similarity. */
export interface Embedder {
  readonly space: VectorSpace;
  /** How the server of the model is asked, for a process that is no longer configured for it. No secrets. */
  readonly source?: string;
  /** UTF-16 units of a text that are read; what is beyond is left out. */
  readonly longestInput: number;
  /** The cosine at which two texts are plausibly related: similarity 0.5. Undefined where it is still to be measured. */
  readonly relatedCosine: number | undefined;
  /** Whether its model is still to be loaded, so that the first text takes longer than others. */
  readonly isLoading?: boolean;
  /**
   * One unit vector of `space.dimension` numbers a text, in order; the zero vector where a text says nothing.
   * @throws EmbeddingError
   */
  embed(texts: readonly string[], kind: TextKind): Promise<Float32Array[]>;
}

/** An embedder that takes microseconds, so that it runs inside the write itself. */
export interface ImmediateEmbedder extends Embedder {
  readonly relatedCosine: number;
  embedNow(text: string): Float32Array;
}

export function isImmediate(embedder: Embedder): embedder is ImmediateEmbedder {
  return 'embedNow' in embedder;
}

/** Why there are no vectors: no response in time, no connection, or an invalid response. */
export type EmbeddingFailure = 'timeout' | 'connection' | 'provider_error';

export interface EmbeddingErrorOptions {
  readonly isLasting: boolean;
  readonly failure?: EmbeddingFailure;
  readonly cause?: unknown;
}

/** Texts could not be embedded; `isLasting` where the same texts would fail again. Its message holds no secrets. */
export class EmbeddingError extends Error {
  readonly isLasting: boolean;
  readonly failure: EmbeddingFailure;

  constructor(message: string, { isLasting, failure = 'provider_error', cause }: EmbeddingErrorOptions) {
    super(message, { cause });
    this.name = 'EmbeddingError';
    this.isLasting = isLasting;
    this.failure = failure;
  }
}
