import { analyze } from '../search-index/analysis/index.ts';
import { type WordIndex, WordStatistics } from './word-statistics.ts';

/** Memories that are derived again because a name in them became known, the newest. */
export const earlierMax = 1000;

/** A name that became known stands in more earlier memories than are derived again for it. */
export class EarlierMemoriesCut extends Error {
  readonly code = 'EARLIER_MEMORIES_CUT';
}

export interface EarlierMemoriesDeps {
  readonly indexOf: (userId: number) => WordIndex;
  /** Called where there are more than `earlierMax`. */
  readonly onCut: (error: EarlierMemoriesCut) => void;
}

/** Finds the memories of a user that have the words of a name. */
export class EarlierMemories {
  readonly #deps: EarlierMemoriesDeps;

  constructor(deps: EarlierMemoriesDeps) {
    this.#deps = deps;
  }

  naming(userId: number, name: string): Promise<readonly number[]> {
    return this.withTerms(userId, analyze(name));
  }

  /** @returns docs of versions, closed ones among them, the newest first, at most `earlierMax`; none for no terms */
  async withTerms(userId: number, terms: readonly string[]): Promise<readonly number[]> {
    if (terms.length === 0) return [];
    const statistics = new WordStatistics(this.#deps.indexOf(userId), 0);
    await statistics.load(terms);
    const docs = statistics.docsWith(terms).sort((a, b) => b - a);
    if (docs.length > earlierMax) this.#deps.onCut(new EarlierMemoriesCut());
    return docs.slice(0, earlierMax);
  }
}
