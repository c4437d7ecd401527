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

/** A request that is said to have used so many times its estimate has not. */
const estimatesMax = 100;

/** Tokens as a server states them; undefined for what cannot be: the server may be wrong, or lie. */
export function believable(stated: number | undefined, estimate: number): number | undefined {
  // Of what was read from JSON nobody knows the type.
  const isPossible =
    Number.isFinite(stated) && Number(stated) >= 0 && Number(stated) <= estimate * estimatesMax;
  return isPossible ? Math.ceil(Number(stated)) : undefined;
}

/** Keeps what an LLM uses in a day (UTC) below a limit: an estimate is counted before a request, and corrected after it. */
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
   * @param estimate tokens that the request may use; they stay counted where the process ends before it does
   * @throws LlmError `budget`, where they are more than what is left
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

/** A server that was late, or answered nonsense, may have worked and may ask to be paid. */
function tokensOfFailure(error: unknown, estimate: number): number {
  if (!(error instanceof LlmError)) return estimate;
  const { failure, tokens } = error;
  return believable(tokens, estimate) ?? (failure === 'late' || failure === 'invalid' ? estimate : 0);
}

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
