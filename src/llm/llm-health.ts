import { type LlmOutcome, type LlmState, llmOutcomes } from '../domain/derivation/llm-server.ts';
import type { LlmError } from './llm-error.ts';

/** State and counts of requests to the LLM of this process. */
export class LlmHealth {
  readonly #counts = new Map<LlmOutcome, number>(llmOutcomes.map((outcome) => [outcome, 0]));
  readonly #watchers: ((state: LlmState) => void)[] = [];
  #state: LlmState = { state: 'unknown', reason: undefined };
  #tokens = 0;

  get state(): LlmState {
    return this.#state;
  }

  get counts(): ReadonlyMap<LlmOutcome, number> {
    return this.#counts;
  }

  get tokens(): number {
    return this.#tokens;
  }

  watch(changed: (state: LlmState) => void): void {
    this.#watchers.push(changed);
  }

  count(outcome: LlmOutcome): void {
    this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1);
  }

  succeeded(tokens: number | undefined): void {
    this.count('ok');
    this.#tokens += tokens ?? 0;
    this.#set({ state: 'ok', reason: undefined });
  }

  failed({ failure, message }: LlmError, tokens: number | undefined): void {
    this.count(failure);
    this.#tokens += tokens ?? 0;
    // A text that the server refuses says nothing of the server.
    if (failure !== 'refused')
      this.#set({ state: failure === 'budget' ? 'paused' : 'failing', reason: message });
  }

  #set(state: LlmState): void {
    const before = this.#state;
    this.#state = state;
    if (before.state !== state.state) for (const watcher of this.#watchers) watcher(state);
  }
}
