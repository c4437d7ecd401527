import { otherWork } from './loop-time.ts';

/** For loops that wait for nothing: lets other work pass after every 10 ms, or as many as it is given. */
export class Breather {
  readonly #turnMs: number;
  #since = performance.now();

  constructor(turnMs = 10) {
    this.#turnMs = turnMs;
  }

  /** Undefined where there is nothing to wait for, so that a short loop costs no turn. */
  pause(): Promise<void> | undefined {
    return performance.now() - this.#since > this.#turnMs ? this.#rest() : undefined;
  }

  async #rest(): Promise<void> {
    await otherWork();
    this.#since = performance.now();
  }
}
