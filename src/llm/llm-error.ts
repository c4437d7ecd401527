/** How a request to the LLM failed. */
export type LlmFailure =
  /** No response in time. */
  | 'late'
  /** No connection, or a status that does not depend on the text: 401, 404, 429, 5xx. */
  | 'unavailable'
  /** The server refuses this text: 400, 413, 422. */
  | 'refused'
  /** No JSON, or JSON of another shape. */
  | 'invalid'
  /** The day's tokens are used up. */
  | 'budget';

/** A request that failed. The message contains neither text of a memory nor a key. */
export class LlmError extends Error {
  readonly failure: LlmFailure;
  /** Shown when derivation of a memory is given up. */
  readonly code: string;
  /** Tokens used, if the server reports them. */
  readonly tokens: number | undefined;

  constructor(failure: LlmFailure, message: string, tokens?: number) {
    super(message);
    this.name = 'LlmError';
    this.failure = failure;
    this.code = `LLM_${failure.toUpperCase()}`;
    this.tokens = tokens;
  }

  /** Whether the failure does not depend on the text, so that the same request may succeed later. */
  get isUnavailable(): boolean {
    return this.failure === 'late' || this.failure === 'unavailable' || this.failure === 'budget';
  }
}
