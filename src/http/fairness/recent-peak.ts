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
