import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../lib/clock.ts';
import type { BackgroundTask, FailureReporter } from '../lib/failure-log.ts';
import { LlmError, type LlmFailure } from './llm-error.ts';

/** Cached results, about 2 kB each: they contain positions instead of text. */
const keptMax = 1000;
/** Maximum requests that wait for the LLM at once. */
const askedMax = 16;
/** Wait before the next request after a failure that does not depend on the texts. */
const againAfterMs = 30_000;

const reasons: Readonly<Record<LlmFailure, string>> = {
  late: 'The LLM was late.',
  unavailable: 'The LLM could not be asked.',
  refused: 'The LLM refused the statements.',
  invalid: 'The answer of the LLM could not be read.',
  budget: 'The tokens of the day are used up.',
};

/** The response of an LLM, or the reason for having none (yet). */
export type Answer<T> = { readonly value: T } | { readonly reason: string };

export const isAnswered = <T>(answer: Answer<T>): answer is { readonly value: T } => 'value' in answer;

interface Kept {
  readonly answer: Answer<object>;
  /** Expiry in epoch milliseconds; absent if the result does not expire. */
  readonly until?: number;
}

export interface BackgroundAsksDeps {
  readonly clock: Clock;
  readonly failures: FailureReporter;
}

/** Asks an LLM in the background, once for equal questions, and keeps checked answers in the memory of this process. */
export class BackgroundAsks {
  readonly #deps: BackgroundAsksDeps;
  readonly #kept = new LRUCache<string, Kept>({ max: keptMax });
  readonly #asked = new Set<string>();

  constructor(deps: BackgroundAsksDeps) {
    this.#deps = deps;
  }

  /**
   * The answer to a question, if it is there; otherwise asks for it. Never waits.
   * @param task part of the name of the task in the log of failures, and of the key of the answer
   * @param question everything that the answer depends on
   */
  answerTo<T extends object>(task: BackgroundTask, question: unknown, ask: () => Promise<T>): Answer<T> {
    const key = createHash('sha256')
      .update(JSON.stringify([task, question]))
      .digest('base64');
    const kept = this.#kept.get(key);
    // The cast is safe: the key includes the task, which determines the type of the answer.
    if (kept && (kept.until === undefined || this.#deps.clock.now() < kept.until))
      return kept.answer as Answer<T>;
    if (this.#asked.has(key)) return pending;
    if (this.#asked.size >= askedMax) return tooMany;
    this.#asked.add(key);
    void this.#ask(task, ask)
      .then((result) => this.#kept.set(key, result))
      .finally(() => this.#asked.delete(key));
    return pending;
  }

  async #ask(task: BackgroundTask, ask: () => Promise<object>): Promise<Kept> {
    const { clock, failures } = this.#deps;
    try {
      return { answer: { value: await ask() } };
    } catch (error) {
      const until = clock.now() + againAfterMs;
      // The `Proposer` has already counted and logged it.
      if (error instanceof LlmError)
        return { answer: { reason: reasons[error.failure] }, ...(error.isUnavailable && { until }) };
      failures.failed(task, error);
      return { answer: { reason: reasons.unavailable }, until };
    }
  }
}

const pending = { reason: 'The LLM is asked: the same request has its answer once it is there.' };
const tooMany = { reason: 'Too many requests wait for the LLM.' };
