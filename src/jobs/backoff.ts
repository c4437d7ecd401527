import { backOffMs } from '../lib/async.ts';

const backOff = { first: 500, most: 30_000 };

/** How long what does not answer is left alone: after each failure twice as long as before, 30 s at most. */
export class Backoff {
  readonly #now: () => number;
  #failures = 0;
  #until = 0;

  /** @param now milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get isLeftAlone(): boolean {
    return this.#until > this.#now();
  }

  failed(): void {
    this.#failures++;
    this.#until = this.#now() + backOffMs(this.#failures, backOff);
  }

  /** It answered, or there is nothing more to ask it. */
  reset(): void {
    this.#failures = 0;
    this.#until = 0;
  }

  /** Milliseconds until the next try, at most `most`. */
  left(most: number): number {
    if (this.#until === 0) return most;
    return Math.max(1, Math.ceil(Math.min(most, this.#until - this.#now())));
  }
}
