/** How a request to the LLM failed. */
export type LlmFailure =
  /** No answer in time. */
  | 'late'
  /** No connection, or a status that says nothing of the text: 401, 404, 429, 5xx. */
  | 'unavailable'
  /** The server refuses this text: 400, 413, 422. */
  | 'refused'
  /** No JSON, or JSON of another shape. */
  | 'invalid'
  /** Nothing is left of the day's tokens. */
  | 'budget';

/** A request that gave no proposals. Its message holds neither text of a memory nor a key. */
export class LlmError extends Error {
  readonly failure: LlmFailure;
  /** Shown where a memory is given up. */
  readonly code: string;
  /** Tokens that the server used, where it says so. */
  readonly tokens: number | undefined;

  constructor(failure: LlmFailure, message: string, tokens?: number) {
    super(message);
    this.name = 'LlmError';
    this.failure = failure;
    this.code = `LLM_${failure.toUpperCase()}`;
    this.tokens = tokens;
  }

  /** Whether it says nothing of the text, so that the same request may succeed later. */
  get isUnavailable(): boolean {
    return this.failure === 'late' || this.failure === 'unavailable' || this.failure === 'budget';
  }
}
