const firstMs = 500;
const mostMs = 30_000;

interface Away {
  readonly ms: number;
  readonly until: number;
}

/** Spaces whose model could not be reached at the last try; each is tried again after twice as long as before. */
export class AwaySpaces {
  readonly #away = new Map<number, Away>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  has(space: number): boolean {
    return this.#away.has(space);
  }

  isLeftAlone(space: number): boolean {
    return (this.#away.get(space)?.until ?? 0) > this.#now();
  }

  failed(space: number): void {
    const before = this.#away.get(space)?.ms;
    const ms = before === undefined ? firstMs : Math.min(mostMs, 2 * before);
    this.#away.set(space, { ms, until: this.#now() + ms });
  }

  /** It answered, or there is nothing more to ask it. */
  settled(space: number): void {
    this.#away.delete(space);
  }

  /** Forgets all others: those that are gone would be due for ever. */
  retain(spaces: ReadonlySet<number>): void {
    for (const space of this.#away.keys()) if (!spaces.has(space)) this.#away.delete(space);
  }

  /** Milliseconds until one is to be tried again, at most `most`. */
  nextTry(most: number): number {
    const times = [...this.#away.values()].map(({ until }) => until - this.#now());
    return Math.max(1, Math.ceil(Math.min(most, ...times)));
  }
}
