import { LRUCache } from 'lru-cache';

/** Results that took less time are computed for each call. */
const slowFromMs = 20;
/** A result is kept for this many times its duration: constant calls take a twentieth of a processor. */
const timesAsLong = 20;
const servedMsMax = 60_000;

interface Kept<V> {
  readonly value: V;
  readonly until: number;
}

/** Caches results that are slow to compute, and shares one computation among concurrent calls. */
export class SlowResults<K extends string | number, V> {
  readonly #kept: LRUCache<K, Kept<V>>;
  readonly #made = new Map<K, Promise<V>>();
  readonly #now: () => number;

  /**
   * @param max maximum number of kept results
   * @param now a monotonic clock in ms
   */
  constructor(max: number, now: () => number = () => performance.now()) {
    this.#kept = new LRUCache({ max });
    this.#now = now;
  }

  /** The result of `make`, at most a minute old; computed now if it takes less than 20 ms. */
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
