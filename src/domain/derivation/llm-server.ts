/** How requests to the LLM ended; `cached` asked nothing. */
export const llmOutcomes = ['ok', 'cached', 'late', 'unavailable', 'refused', 'invalid', 'budget'] as const;
export type LlmOutcome = (typeof llmOutcomes)[number];

/** `unknown` before the first response, `failing` after a request that failed, `paused` where the day's tokens are used up. */
export const llmStates = ['unknown', 'ok', 'failing', 'paused'] as const;

export interface LlmState {
  readonly state: (typeof llmStates)[number];
  /** Without text and key; undefined where the state is `ok` or `unknown`. */
  readonly reason: string | undefined;
}

/** The LLM, as operators see it. */
export interface LlmServer {
  readonly model: string;
  readonly state: LlmState;
  /** Requests since the start of the process, by how they ended. */
  readonly counts: ReadonlyMap<LlmOutcome, number>;
  /** Tokens since the start of the process, as servers counted them. */
  readonly tokens: number;
  readonly tokensPerDay: number;
  /** Tokens of this day, of all processes. */
  usedToday(): Promise<number>;
  /** `changed` is called once for each change of state. */
  watch(changed: (state: LlmState) => void): void;
  /** Ends requests in flight; nothing is asked any more. */
  close(): void;
}
