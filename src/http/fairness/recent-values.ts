const halfLifeMs = 2000;

/**
 * The highest of the values of late; it falls to its half in 2 s. The highest and not the mean: cheap requests between
 * dear ones would make room for many dear ones at once.
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

/** The sum of the values of late; it falls to its half in 2 s. */
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

/** Sum of a value of 1 a millisecond. */
export const sumOfAll = halfLifeMs / Math.LN2;
