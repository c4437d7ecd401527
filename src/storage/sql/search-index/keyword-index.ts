import type { DocumentKind, Postings } from '../../../search-index/ports.ts';

/** The terms of a document. */
export interface IndexedTerms {
  readonly doc: number;
  readonly terms: readonly string[];
}

/** Writes of one user's keyword index, in the transaction of the record they belong to. */
export interface KeywordWriter {
  /** A number for a new document, higher than all before it. */
  nextDoc(): Promise<number>;
  /** The first of `count` such numbers that follow each other: for loading a user, since others may have to wait. */
  nextDocs(count: number): Promise<number>;
  add(kind: DocumentKind, doc: number, terms: readonly string[]): Promise<void>;
  /** Such numbers, rising, but not each the next of the one before. */
  someDocs(count: number): Promise<number[]>;
  /** Adds documents by one statement. */
  addAll(kind: DocumentKind, documents: readonly IndexedTerms[]): Promise<void>;
  /** Takes documents out for good. */
  erase(docs: readonly number[]): Promise<void>;
  /** Removes the terms from the user's vocabulary that no memory contains after this transaction. */
  forgetTerms(terms: readonly string[]): Promise<void>;
}

/** Occurrences beyond this count as this many. */
export const frequencyMax = 8;
const kindLetters = { memory: 'm', conversation: 'c', fact: 'f' } as const satisfies Record<
  DocumentKind,
  string
>;

/** Prefix of the keys of a user's documents of one kind: it makes postings the user's own. */
export function keyPrefix(kind: DocumentKind, userId: number): string {
  return `${kindLetters[kind]}${userId.toString(36)}_`;
}

/**
 * The keys under which a document is found. Postings of both engines contain docids only, no
 * frequencies, so a term that occurs n times in a document is indexed under n keys: itself,
 * `term_2`, … `term_8` (BM25 hardly rises after that). Terms never contain an underscore.
 */
export function postingKeys(prefix: string, terms: readonly string[]): string[] {
  const counts = new Map<string, number>();
  const keys: string[] = [];
  for (const term of terms) {
    const count = (counts.get(term) ?? 0) + 1;
    counts.set(term, count);
    if (count === 1) keys.push(prefix + term);
    else if (count <= frequencyMax) keys.push(`${prefix}${term}_${count}`);
  }
  return keys;
}

/** Key of the documents that hold `term` at least `frequency` times. */
export function frequencyKey(prefix: string, term: string, frequency: number): string {
  return frequency === 1 ? prefix + term : `${prefix}${term}_${frequency}`;
}

/**
 * Postings from the docs of a term's keys: `docs` contain it at least once, `repeated[i]`
 * at least `i + 2` times; all ascending, each list a subset of the previous one.
 */
export function toPostings(docs: readonly number[], repeated: readonly (readonly number[])[]): Postings {
  const frequencies = new Uint8Array(docs.length).fill(1);
  for (const [i, list] of repeated.entries()) {
    let at = 0;
    for (const doc of list) {
      while (docs[at] < doc) at++;
      frequencies[at] = i + 2;
    }
  }
  return { docs, frequencies };
}

/** The user of a key: the inverse of `keyPrefix`. */
export function userOfKey(key: string): number {
  return Number.parseInt(key.slice(1, key.indexOf('_')), 36);
}

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
 * Terms known to be committed to the vocabularies of their users, so that
 * writers need not check again. Bounded to two generations, of which the
 * older is discarded. A term that is missing here is written once more.
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

  /** Call only after the terms are committed. */
  add(userId: number, terms: readonly string[]): void {
    for (const term of terms) this.#remember(userId, term);
  }

  forget(userId: number, terms: readonly string[]): void {
    this.#young.delete(userId, terms);
    this.#old.delete(userId, terms);
  }

  /** Call before terms are looked up, with the user's epoch: in a new one, terms may have been erased. */
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
