import { EmbeddingError, type EmbeddingErrorOptions } from '../../domain/embedding/embedder.ts';

export interface RequestErrorOptions extends EmbeddingErrorOptions {
  /** Whether the same request may succeed a little later. */
  readonly isRepeatable: boolean;
  /** Whether it speaks of the server, not of the texts or of too many requests. */
  readonly isServerFault: boolean;
  /** Milliseconds that the server asks to be left alone. */
  readonly retryAfterMs?: number;
}

/** One request that gave no vectors. */
export class RequestError extends EmbeddingError {
  readonly isRepeatable: boolean;
  readonly isServerFault: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: RequestErrorOptions) {
    super(message, options);
    this.isRepeatable = options.isRepeatable;
    this.isServerFault = options.isServerFault;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** The server is there and does not do what it should; asking again at once would not help. */
export function wrongAnswer(message: string): RequestError {
  return new RequestError(message, { isLasting: false, isRepeatable: false, isServerFault: true });
}
