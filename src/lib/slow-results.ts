import { LRUCache } from 'lru-cache';

/** Results that took less are made again for everybody who asks. */
const slowFromMs = 20;
/** A result serves for as many times as long as it took: asking all the time takes a twentieth of a processor. */
const timesAsLong = 20;
const servedMsMax = 60_000;

interface Kept<V> {
  readonly value: V;
  readonly until: number;
}

/** Results that are slow to make, shared by who asks at once and by who asks soon after. */
export class SlowResults<K extends string | number, V> {
  readonly #kept: LRUCache<K, Kept<V>>;
  readonly #made = new Map<K, Promise<V>>();
  readonly #now: () => number;

  /**
   * @param max most keys whose results are kept
   * @param now milliseconds of a clock that never goes back
   */
  constructor(max: number, now: () => number = () => performance.now()) {
    this.#kept = new LRUCache({ max });
    this.#now = now;
  }

  /** What `make` gives, at most a minute old; exact where it took less than 20 ms. */
  of(key: K, make: () => Promise<V>): Promise<V> {
    const kept = this.#kept.get(key);
    if (kept && this.#now() < kept.until) return Promise.resolve(kept.value);
    const running = this.#made.get(key);
    if (running) return running;
    const made = this.#make(key, make).finally(() => this.#made.delete(key));
    this.#made.set(key, made);
    return made;
  }

  async #make(key: K, make: () => Promise<V>): Promise<V> {
    const began = this.#now();
    const value = await make();
    const took = this.#now() - began;
    if (took >= slowFromMs)
      this.#kept.set(key, { value, until: began + took + Math.min(took * timesAsLong, servedMsMax) });
    return value;
  }
}
