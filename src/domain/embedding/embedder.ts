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

/**
 * Health of an embedding server: `unknown` before its first
 * response, `open` while its circuit breaker is open.
 */
export interface EmbedderHealth {
  readonly state: 'unknown' | 'ok' | 'failing' | 'open';
  /** Reason of the last failure, without secrets; undefined if the state is `ok` or `unknown`. */
  readonly reason: string | undefined;
  /** Duration of the last request in milliseconds; undefined before the first. */
  readonly responseTime: number | undefined;
}

/** A finished request. */
interface EmbedderRequest {
  readonly seconds: number;
  readonly succeeded: boolean;
}

/** Observer of an embedding server. */
export interface EmbedderWatcher {
  /** Called once for each change of state. */
  changed(health: EmbedderHealth): void;
  requested(request: EmbedderRequest): void;
}

/** An embedding server, as operators see it. */
export interface EmbedderServer {
  readonly model: string;
  readonly health: EmbedderHealth;
  /** Registers the observer and probes the server once. */
  watch(watcher: EmbedderWatcher): void;
  /** Ends requests in flight; no more are sent. */
  close(): void;
}

/**
 * State of an encoder that runs in the process: `unknown` before its first text, `failing` if its model
 * cannot run, `missing` if the runtime cannot be loaded, so that the static model serves in its place.
 */
export const encoderStates = ['unknown', 'ok', 'failing', 'missing'] as const;

export interface EncoderHealth {
  readonly state: (typeof encoderStates)[number];
  /** Reason for `failing` or `missing`, for users: no text, no path. */
  readonly reason: string | undefined;
}

/** Explains to people how to get a missing encoder; undefined if it is present or none is configured. */
export function missingEncoderNote(encoder: LocalEncoder | undefined): string | undefined {
  if (encoder?.health.state !== 'missing') return undefined;
  return (
    `The encoder cannot be used (${encoder.health.reason}): the static model embeds alone, and searches find less. ` +
    'Install again with ONNXRUNTIME_NODE_INSTALL=skip, or set MEMORYD_EMBEDDER=static to do without.'
  );
}

/** An encoder that runs in the process, as operators see it. */
export interface LocalEncoder {
  readonly model: string;
  readonly health: EncoderHealth;
  /**
   * Calls `changed` for each later change of state. `detail` is
   * for the log: it can contain paths, but no text of a user.
   */
  watch(changed: (health: EncoderHealth, detail: string | undefined) => void): void;
  /** Loads the model before the first text. Never rejects: `health` shows a failure. */
  warm(): Promise<void>;
  /** Ends its thread after the current text; queued ones are rejected. */
  close(): Promise<void>;
}

/** Word pieces of a model that has a vector for each. */
export interface PieceTable {
  readonly dimension: number;
  /** `dimension` numbers per piece, in order of ids, to be multiplied by its scale. */
  readonly vectors: Int8Array;
  readonly scales: Float32Array;
  /** Pieces by id; continuations within a word begin with `##`. Fewer than 65,536. */
  readonly vocabulary: readonly string[];
  /** Ids of the pieces of a text, in order; unknown words are left out. */
  piecesOf(text: string): number[];
}

export type FormerSpace = Pick<KnownSpace, 'space' | 'source'>;

/** Formerly configured models whose servers still run. */
export interface FormerEmbedders {
  /** The embedder of an earlier space; undefined if its source is unknown. */
  of(known: FormerSpace): Embedder | undefined;
  /** Stops the embedders of all other spaces: a server that no longer exists would be retried for ever. */
  retain(spaces: readonly FormerSpace[]): void;
  /** Stops all of them. */
  close(): Promise<void>;
}

/** A vector space of the store. */
interface KnownSpace {
  readonly space: VectorSpace;
  /** See `Embedder.source`. */
  readonly source: string | undefined;
  /** Undefined until it is measured. */
  readonly relatedCosine: number | undefined;
}

/** The vector spaces of the store by id. */
export interface SpaceDirectory {
  spaceOf(id: number): Promise<KnownSpace | undefined>;
}

/** Embedder of queries in a space. */
interface SpaceEmbedder {
  readonly embedder: Embedder;
  /** The cosine at which two texts are plausibly related: similarity 0.5. */
  readonly relatedCosine: number;
}

/** Finds the embedder of a space by its id; undefined if this process cannot run it. */
export type EmbedderOf = (space: number) => Promise<SpaceEmbedder | undefined>;
