import type { LlmError, LlmFailure } from './llm-error.ts';

/** How requests to the LLM ended; `cached` asked nothing. */
export const llmOutcomes = ['ok', 'cached', 'late', 'unavailable', 'refused', 'invalid', 'budget'] as const;
export type LlmOutcome = (typeof llmOutcomes)[number];

export interface LlmState {
  /** `unknown` before the first response, `failing` after a request that failed, `paused` where the day's tokens are used up. */
  readonly state: 'unknown' | 'ok' | 'failing' | 'paused';
  /** Without text and key; undefined where the state is `ok` or `unknown`. */
  readonly reason: string | undefined;
}

/** State and counts of requests to the LLM of this process. */
export class LlmHealth {
  readonly #counts = new Map<LlmOutcome, number>(llmOutcomes.map((outcome) => [outcome, 0]));
  #state: LlmState = { state: 'unknown', reason: undefined };
  #tokens = 0;

  get state(): LlmState {
    return this.#state;
  }

  /** Since the start of the process. */
  get counts(): ReadonlyMap<LlmOutcome, number> {
    return this.#counts;
  }

  /** As servers counted them, since the start of the process. */
  get tokens(): number {
    return this.#tokens;
  }

  count(outcome: LlmOutcome): void {
    this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1);
  }

  succeeded(tokens: number | undefined): void {
    this.count('ok');
    this.#tokens += tokens ?? 0;
    this.#state = { state: 'ok', reason: undefined };
  }

  failed({ failure, message, tokens }: LlmError): void {
    this.count(failure);
    this.#tokens += tokens;
    // A text that the server refuses says nothing of the server.
    if (failure !== 'refused') this.#state = { state: stateAfter(failure), reason: message };
  }
}

const stateAfter = (failure: LlmFailure) => (failure === 'budget' ? 'paused' : 'failing');
