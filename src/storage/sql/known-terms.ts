const generationMax = 100_000;

/** Terms by user: a set for each user, so that looking one up makes no new string. */
class Generation {
  readonly #terms = new Map<number, Set<string>>();
  size = 0;

  of(userId: number): ReadonlySet<string> | undefined {
    return this.#terms.get(userId);
  }

  add(userId: number, term: string): void {
    const terms = this.#terms.get(userId) ?? new Set();
    this.#terms.set(userId, terms);
    const before = terms.size;
    terms.add(term);
    this.size += terms.size - before;
  }
}

/**
 * Terms that are known to stand, committed, in the vocabularies of their users, so that writers need not ask again.
 * Bounded: two generations, of which the older is forgotten. A term that is not known here is written once more.
 */
export class KnownTerms {
  #young = new Generation();
  #old = new Generation();

  /** The different terms among `terms` that are not known, in order. */
  unknownAmong(userId: number, terms: readonly string[]): string[] {
    const young = this.#young.of(userId);
    const old = this.#old.of(userId);
    const unknown = new Set<string>();
    for (const term of terms) {
      if (young?.has(term)) continue;
      if (old?.has(term)) this.#remember(userId, term);
      else unknown.add(term);
    }
    return [...unknown];
  }

  /** To be told of terms only once they are committed. */
  add(userId: number, terms: readonly string[]): void {
    for (const term of terms) this.#remember(userId, term);
  }

  #remember(userId: number, term: string): void {
    if (this.#young.size >= generationMax) {
      this.#old = this.#young;
      this.#young = new Generation();
    }
    this.#young.add(userId, term);
  }
}
