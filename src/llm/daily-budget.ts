import type { TokenCounter } from '../domain/derivation/llm-server.ts';
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
