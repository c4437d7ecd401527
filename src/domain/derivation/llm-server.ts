/** Outcomes of requests to the LLM; `cached` needed no request. */
export const llmOutcomes = ['ok', 'cached', 'late', 'unavailable', 'refused', 'invalid', 'budget'] as const;
export type LlmOutcome = (typeof llmOutcomes)[number];

/**
 * `unknown` before the first response, `failing` after a
 * failed request, `paused` if the day's tokens are used up.
 */
export const llmStates = ['unknown', 'ok', 'failing', 'paused'] as const;

export interface LlmState {
  readonly state: (typeof llmStates)[number];
  /** Without text or key; undefined if the state is `ok` or `unknown`. */
  readonly reason: string | undefined;
}

/** The LLM, as operators see it. */
export interface LlmServer {
  readonly model: string;
  readonly state: LlmState;
  /** Requests by outcome since the start of the process. */
  readonly counts: ReadonlyMap<LlmOutcome, number>;
  /** Tokens since the start of the process, as counted by the server. */
  readonly tokens: number;
  readonly tokensPerDay: number;
  /** Tokens of this day, of all processes. */
  usedToday(): Promise<number>;
  /** `changed` is called once for each change of state. */
  watch(changed: (state: LlmState) => void): void;
  /** Ends requests in flight; no more are sent. */
  close(): void;
}

/** Counts tokens of an LLM by day, for all processes of a store, across restarts. */
export interface TokenCounter {
  /**
   * Adds tokens (negative to return some) and deletes the counts of earlier days.
   * @param day `YYYY-MM-DD`
   * @returns the new count of the day
   */
  addTokens(day: string, tokens: number): Promise<number>;
  tokensOf(day: string): Promise<number>;
}
