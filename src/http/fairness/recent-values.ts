const halfLifeMs = 2000;

/**
 * The recent maximum of values; it halves in 2 s. The mean would not do: a few
 * cheap requests between expensive ones would let many expensive ones run at once.
 */
export class RecentPeak {
  #peak = 0;
  #at = 0;

  at(now: number): number {
    return this.#peak * 2 ** (-(now - this.#at) / halfLifeMs);
  }

  note(value: number, now: number): void {
    if (value <= this.at(now)) return;
    this.#peak = value;
    this.#at = now;
  }
}

/** The recent sum of values; it halves in 2 s. */
export class RecentSum {
  #sum = 0;
  #at = 0;

  at(now: number): number {
    return this.#sum * 2 ** (-(now - this.#at) / halfLifeMs);
  }

  add(value: number, now: number): void {
    this.#sum = this.at(now) + value;
    this.#at = now;
  }
}

/** The sum if 1 is added each millisecond. */
export const sumOfAll = halfLifeMs / Math.LN2;
