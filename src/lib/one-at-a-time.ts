/** Runs the acts of one key one after another; acts of other keys do not wait. */
export class OneAtATime<K> {
  readonly #last = new Map<K, Promise<unknown>>();

  async run<T>(key: K, act: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    // An error goes to the caller of that act alone.
    const mine = before ? before.then(act, act) : act();
    this.#last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }
}
