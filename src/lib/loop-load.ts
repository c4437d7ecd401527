/** What an event loop has been: as `performance.eventLoopUtilization()` counts it, in milliseconds. */
export interface LoopTimes {
  readonly active: number;
  readonly idle: number;
}

/** Share of the time left by background work above which the event loop has no room for it. */
const busyMin = 0.8;
/** Milliseconds without background work, below which nothing can be said. */
const windowMinMs = 20;

/** Whether requests take the whole event loop, told from what background work takes of it. */
export class LoopLoad {
  readonly #read: () => LoopTimes;
  #seen: LoopTimes;
  #ownMs = 0;
  #isBusy = false;

  constructor(read: () => LoopTimes = () => performance.eventLoopUtilization()) {
    this.#read = read;
    this.#seen = read();
  }

  /**
   * @param ms that background work took since the last call, at most all of them in the event loop
   * @returns whether requests took the loop since the last window that was long enough
   */
  isBusyApartFrom(ms: number): boolean {
    this.#ownMs += ms;
    const now = this.#read();
    const active = now.active - this.#seen.active;
    const left = active + now.idle - this.#seen.idle - this.#ownMs;
    if (left < windowMinMs) return this.#isBusy;
    this.#isBusy = (active - this.#ownMs) / left > busyMin;
    this.#seen = now;
    this.#ownMs = 0;
    return this.#isBusy;
  }
}
