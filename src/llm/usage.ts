import {
  type LlmOutcome,
  type LlmState,
  llmOutcomes,
  type TokenCounter,
} from '../domain/derivation/llm-server.ts';
import type { Clock } from '../lib/clock.ts';
import { LlmError } from './llm-error.ts';

export interface DailyBudgetDeps {
  readonly counter: TokenCounter;
  readonly clock: Clock;
  readonly tokensPerDay: number;
}

/** Stated usage above this multiple of the estimate is not believed. */
const estimatesMax = 100;

/**
 * Tokens as the server states them; undefined if the number is
 * impossible, because a server may be wrong or lie.
 */
export function believable(stated: number | undefined, estimate: number): number | undefined {
  // The value comes from JSON, so its type is not certain.
  const isPossible =
    Number.isFinite(stated) && Number(stated) >= 0 && Number(stated) <= estimate * estimatesMax;
  return isPossible ? Math.ceil(Number(stated)) : undefined;
}

/**
 * Limits the tokens that an LLM uses per day (UTC). An estimate is
 * counted before each request and corrected after it.
 */
export class DailyBudget {
  readonly #deps: DailyBudgetDeps;

  constructor(deps: DailyBudgetDeps) {
    this.#deps = deps;
  }

  get tokensPerDay(): number {
    return this.#deps.tokensPerDay;
  }

  usedToday(): Promise<number> {
    return this.#deps.counter.tokensOf(this.#today());
  }

  /**
   * @param estimate tokens that the request may use; they stay counted if the process ends before the request
   * @throws LlmError `budget` if the estimate exceeds the tokens left today
   */
  async spend<T extends { readonly tokens: number | undefined }>(
    estimate: number,
    request: () => Promise<T>,
  ): Promise<T> {
    const { counter, tokensPerDay } = this.#deps;
    const day = this.#today();
    if ((await counter.addTokens(day, estimate)) > tokensPerDay) {
      await counter.addTokens(day, -estimate);
      throw new LlmError('budget', `the ${tokensPerDay} tokens of the day are used up`);
    }
    let used = 0;
    try {
      const response = await request();
      used = believable(response.tokens, estimate) ?? estimate;
      return response;
    } catch (error) {
      used = tokensOfFailure(error, estimate);
      throw error;
    } finally {
      await counter.addTokens(day, used - estimate);
    }
  }

  #today(): string {
    return new Date(this.#deps.clock.now()).toISOString().slice(0, 10);
  }
}

/**
 * Tokens of a failed request. A late or invalid response counts
 * the estimate, because the provider may charge for it.
 */
function tokensOfFailure(error: unknown, estimate: number): number {
  if (!(error instanceof LlmError)) return estimate;
  const { failure, tokens } = error;
  return believable(tokens, estimate) ?? (failure === 'late' || failure === 'invalid' ? estimate : 0);
}

/** State and counts of this process's requests to the LLM. */
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
    // The refusal of a text does not show that the server fails.
    if (failure !== 'refused')
      this.#set({ state: failure === 'budget' ? 'paused' : 'failing', reason: message });
  }

  #set(state: LlmState): void {
    const before = this.#state;
    this.#state = state;
    if (before.state !== state.state) for (const watcher of this.#watchers) watcher(state);
  }
}
