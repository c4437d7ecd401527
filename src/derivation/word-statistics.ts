import { analyze } from '../search-index/analysis/index.ts';
import type { IndexReader } from '../search-index/ports.ts';

/** The part of a user's index that word statistics read. */
export type WordIndex = Pick<IndexReader, 'docsContaining'>;

/** Terms per lookup; other work can run between lookups. */
const termsAtOnce = 32;

/** Finds which of a user's newest texts contain given words. */
export class WordStatistics {
  readonly #index: WordIndex;
  /** Only versions after this doc count. */
  readonly #after: number;
  readonly #docs = new Map<string, ReadonlySet<number>>();

  constructor(index: WordIndex, after: number) {
    this.#index = index;
    this.#after = after;
  }

  async load(terms: Iterable<string>): Promise<void> {
    const missing = [...new Set(terms)].filter((term) => !this.#docs.has(term));
    for (let from = 0; from < missing.length; from += termsAtOnce) {
      const some = missing.slice(from, from + termsAtOnce);
      const after = some.map(() => this.#after);
      const found = await this.#index.docsContaining('memory', some, after);
      for (const [i, term] of some.entries()) this.#docs.set(term, new Set(found[i]));
    }
  }

  /** Docs of the texts that contain all of these terms, which must be loaded. */
  docsWith(terms: readonly string[]): number[] {
    const sets = terms.map((term) => this.#docs.get(term) ?? new Set<number>());
    const [rarest, ...others] = sets.sort((a, b) => a.size - b.size);
    return rarest ? [...rarest].filter((doc) => others.every((docs) => docs.has(doc))) : [];
  }
}

/** Maximum of memories derived again because a name in them became known: the newest. */
export const earlierMax = 1000;

/** More earlier memories contain a newly known name than are derived again for it. */
export class EarlierMemoriesCut extends Error {
  readonly code = 'EARLIER_MEMORIES_CUT';
}

export interface EarlierMemoriesDeps {
  readonly indexOf: (userId: number) => WordIndex;
  /** Called if there are more than `earlierMax`. */
  readonly onCut: (error: EarlierMemoriesCut) => void;
}

/** Finds the memories of a user that contain the words of a name. */
export class EarlierMemories {
  readonly #deps: EarlierMemoriesDeps;

  constructor(deps: EarlierMemoriesDeps) {
    this.#deps = deps;
  }

  naming(userId: number, name: string): Promise<readonly number[]> {
    return this.withTerms(userId, analyze(name));
  }

  /**
   * @returns docs of versions, also of closed ones, newest first, at most `earlierMax`; none without terms
   */
  async withTerms(userId: number, terms: readonly string[]): Promise<readonly number[]> {
    if (terms.length === 0) return [];
    const statistics = new WordStatistics(this.#deps.indexOf(userId), 0);
    await statistics.load(terms);
    const docs = statistics.docsWith(terms).sort((a, b) => b - a);
    if (docs.length > earlierMax) this.#deps.onCut(new EarlierMemoriesCut());
    return docs.slice(0, earlierMax);
  }
}
