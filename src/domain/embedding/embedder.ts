/** Kind of a text: some models expect queries and documents to be marked differently. */
export type TextKind = 'document' | 'query';

/** Identity of a vector space; vectors of different spaces cannot be compared. */
export interface VectorSpace {
  readonly model: string;
  readonly dimension: number;
  /** Different versions of a model give different vectors. */
  readonly version: string;
}

/** Name of a space in the store. */
export function spaceName({ model, dimension, version }: VectorSpace): string {
  return `${model}/${dimension}/${version}`;
}

/** Turns texts into unit vectors whose cosine is their semantic similarity. */
export interface Embedder {
  readonly space: VectorSpace;
  /** How to reach the model's server, for a process that is no longer configured for it. Without secrets. */
  readonly source?: string;
  /** UTF-16 units of a text that the model reads; the rest is ignored. */
  readonly longestInput: number;
  /** The cosine at which two texts are plausibly related (similarity 0.5). Undefined until it is measured. */
  readonly relatedCosine: number | undefined;
  /** Whether the model is not loaded yet, so that the first text takes longer. */
  readonly isLoading?: boolean;
  /**
   * One unit vector of `space.dimension` numbers per text,
   * in order; the zero vector for a text without content.
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

/** Reason for missing vectors: no response in time, no connection, or an invalid response. */
export type EmbeddingFailure = 'timeout' | 'connection' | 'provider_error';

export interface EmbeddingErrorOptions {
  readonly isLasting: boolean;
  readonly failure?: EmbeddingFailure;
  readonly cause?: unknown;
}

/**
 * Texts could not be embedded; `isLasting` if the same
 * texts would fail again. The message contains no secrets.
 */
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
