import type { DocumentKind, Postings } from '../../../search-index/ports.ts';

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
 * The keys under which a document is found. Neither engine's docid-only postings hold frequencies, so a term that
 * stands n times in a document is indexed under n keys: itself, `term_2`, … `term_8` (BM25 hardly rises after that).
 * Terms never hold an underscore.
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
 * Postings from the docs of a term's keys: `docs` holds it at least once, `repeated[i]` at least `i + 2` times; all
 * rising, and each list a part of the one before it.
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

/** The user whose key this is: the inverse of `keyPrefix`. */
export function userOfKey(key: string): number {
  return Number.parseInt(key.slice(1, key.indexOf('_')), 36);
}
