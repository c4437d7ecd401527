const generationMax = 100_000;

/** Terms by user: a set for each user, so that looking one up makes no new string. */
class Generation {
  readonly #terms = new Map<number, Set<string>>();
  size = 0;

  of(userId: number): ReadonlySet<string> | undefined {
    return this.#terms.get(userId);
  }

  delete(userId: number, terms: Iterable<string>): void {
    const known = this.#terms.get(userId);
    for (const term of terms) if (known?.delete(term)) this.size--;
  }

  clear(userId: number): void {
    this.size -= this.#terms.get(userId)?.size ?? 0;
    this.#terms.delete(userId);
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
  readonly #epochs = new Map<number, number>();

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

  forget(userId: number, terms: readonly string[]): void {
    this.#young.delete(userId, terms);
    this.#old.delete(userId, terms);
  }

  /** To be told, before terms are looked up, which epoch the user is in: in a new one terms may have been erased. */
  enterEpoch(userId: number, epoch: number): void {
    if (this.#epochs.get(userId) === epoch) return;
    this.#epochs.set(userId, epoch);
    this.#young.clear(userId);
    this.#old.clear(userId);
  }

  #remember(userId: number, term: string): void {
    if (this.#young.size >= generationMax) {
      this.#old = this.#young;
      this.#young = new Generation();
    }
    this.#young.add(userId, term);
  }
}
