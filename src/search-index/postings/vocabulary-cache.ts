import type { IndexReader } from '../ports.ts';
import { type SynonymTerm, synonymTermsMax } from './synonym-terms.ts';

const bytes = synonymTermsMax / 8;
/** Maximum cached completions, each of at most forty terms. */
const completionsMax = 128;
const bytesPerCompletions = 300;

/** Maximum bytes of the cache of one index. */
export const vocabularyCacheBytesMax = 2 * bytes + completionsMax * bytesPerCompletions;

/**
 * Look-ups in the user's vocabulary since the last change of the index: which
 * synonyms it contains, two bits for each term, and completions of unfinished words.
 */
export class VocabularyCache {
  #known: Uint8Array | undefined;
  #present = new Uint8Array();
  readonly #completions = new Map<string, readonly string[]>();

  completionsOf(unfinished: string): readonly string[] | undefined {
    return this.#completions.get(unfinished);
  }

  addCompletions(unfinished: string, terms: readonly string[]): void {
    if (this.#completions.size >= completionsMax) this.#completions.clear();
    this.#completions.set(unfinished, terms);
  }

  isKnown({ number }: SynonymTerm): boolean {
    return this.#known !== undefined && (this.#known[number >> 3] & (1 << (number & 7))) !== 0;
  }

  has({ number }: SynonymTerm): boolean {
    return (this.#present[number >> 3] & (1 << (number & 7))) !== 0;
  }

  set({ number }: SynonymTerm, isPresent: boolean): void {
    if (this.#known === undefined) {
      this.#known = new Uint8Array(bytes);
      this.#present = new Uint8Array(bytes);
    }
    this.#known[number >> 3] |= 1 << (number & 7);
    if (isPresent) this.#present[number >> 3] |= 1 << (number & 7);
  }

  clear(): void {
    this.#known = undefined;
    this.#present = new Uint8Array();
    this.#completions.clear();
  }
}

/** The part of an index that vocabulary look-ups use. */
export interface KnownVocabulary {
  readonly vocabularyCache: VocabularyCache;
  readonly rev: number;
}

/** For each term of each list, 1 if the user's vocabulary contains it, as of the index or later, else 0. */
export async function inVocabulary(
  reader: IndexReader,
  index: KnownVocabulary,
  lists: readonly (readonly SynonymTerm[])[],
): Promise<Uint8Array[]> {
  const { vocabularyCache, rev } = index;
  const among = async (terms: readonly SynonymTerm[]) =>
    new Set(await reader.vocabulary.among([...new Set(terms.map(({ term }) => term))]));
  const unknown: SynonymTerm[] = [];
  for (const list of lists) for (const term of list) if (!vocabularyCache.isKnown(term)) unknown.push(term);
  if (unknown.length > 0) {
    const found = await among(unknown);
    // Terms read while the index changed may be stale, and the cache was cleared.
    if (index.rev !== rev) {
      const all = await among(lists.flat());
      return lists.map((list) => marksOf(list, ({ term }) => all.has(term)));
    }
    for (const each of unknown) vocabularyCache.set(each, found.has(each.term));
  }
  return lists.map((list) => marksOf(list, (term) => vocabularyCache.has(term)));
}

function marksOf(list: readonly SynonymTerm[], isPresent: (term: SynonymTerm) => boolean): Uint8Array {
  const marks = new Uint8Array(list.length);
  for (let i = 0; i < list.length; i++) marks[i] = isPresent(list[i]) ? 1 : 0;
  return marks;
}
