import { setImmediate as otherWork } from 'node:timers/promises';

const turnMs = 10;

/** For loops that wait for nothing: lets other work pass after every 10 ms. */
export class Breather {
  #since = performance.now();

  /** Undefined where there is nothing to wait for, so that a short loop costs no turn. */
  pause(): Promise<void> | undefined {
    return performance.now() - this.#since > turnMs ? this.#rest() : undefined;
  }

  async #rest(): Promise<void> {
    await otherWork();
    this.#since = performance.now();
  }
}
