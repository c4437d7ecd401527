import { otherWork, turnAge } from './loop-time.ts';

/**
 * For loops that wait for nothing, and statements that are answered at once: lets other work pass where this turn of the
 * event loop has taken 10 ms, or as many as it is given. Undefined else, so that a short loop costs no turn.
 */
export function pauseAfter(turnMs = 10): Promise<void> | undefined {
  return turnAge() > turnMs ? otherWork() : undefined;
}

/** `pauseAfter` for a loop, whose turn began when this was made, or before. */
export class Breather {
  readonly #turnMs: number | undefined;

  constructor(turnMs?: number) {
    this.#turnMs = turnMs;
    turnAge();
  }

  pause(): Promise<void> | undefined {
    return pauseAfter(this.#turnMs);
  }
}
