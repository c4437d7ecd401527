/**
 * Lets at most `startsMax` pieces of work begin in one turn of the event loop; others wait for the next turns, first come
 * first served. Work that holds the thread for milliseconds, asked for by many at once, would otherwise all be done
 * before anything else is read from a socket.
 */
export class TurnGate {
  readonly #startsMax: number;
  readonly #waiting: (() => void)[] = [];
  #started = 0;

  constructor(startsMax: number) {
    this.#startsMax = startsMax;
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#started < this.#startsMax) {
      this.#start();
      return work();
    }
    return new Promise<void>((resolve) => this.#waiting.push(resolve)).then(work);
  }

  #start(): void {
    if (this.#started === 0) setImmediate(() => this.#nextTurn());
    this.#started++;
  }

  #nextTurn(): void {
    this.#started = 0;
    for (const begin of this.#waiting.splice(0, this.#startsMax)) {
      this.#start();
      begin();
    }
  }
}
