const generationMax = 100_000;

/**
 * Terms that are known to stand, committed, in the vocabularies of their users, so that writers need not ask again.
 * Bounded: two generations, of which the older is forgotten. A term that is not known here is written once more.
 */
export class KnownTerms {
  #young = new Set<string>();
  #old = new Set<string>();

  /** The different terms among `terms` that are not known, in order. */
  unknownAmong(userId: number, terms: readonly string[]): string[] {
    const unknown = new Set<string>();
    for (const term of terms) {
      const key = `${userId} ${term}`;
      if (this.#young.has(key)) continue;
      if (this.#old.has(key)) this.#remember(key);
      else unknown.add(term);
    }
    return [...unknown];
  }

  /** To be told of terms only once they are committed. */
  add(userId: number, terms: readonly string[]): void {
    for (const term of terms) this.#remember(`${userId} ${term}`);
  }

  #remember(key: string): void {
    if (this.#young.size >= generationMax) {
      this.#old = this.#young;
      this.#young = new Set();
    }
    this.#young.add(key);
  }
}
