import { otherWork, turnAge } from './loop-time.ts';

/**
 * Yields to other work if this turn of the event loop has taken more than
 * `turnMs`: for loops without other waits, and for statements that are answered at
 * once. Undefined otherwise, so that a short loop costs no turn.
 */
export function pauseAfter(turnMs = 10): Promise<void> | undefined {
  return turnAge() > turnMs ? otherWork() : undefined;
}

/** `pauseAfter` for a loop; its turn began at the latest when this object was made. */
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
