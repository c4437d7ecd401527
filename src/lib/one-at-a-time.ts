/** Runs what is asked for under one key one after another; other keys do not wait. */
export class OneAtATime<K> {
  readonly #last = new Map<K, Promise<unknown>>();

  async run<T>(key: K, act: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    // Whoever asked for the one before gets its error.
    const mine = before ? before.then(act, act) : act();
    this.#last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }
}
