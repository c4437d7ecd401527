import { LRUCache } from 'lru-cache';
import { isOutdated, type Memory } from '../../domain/memories/memory.ts';
import {
  type SimilarMemories,
  type SimilarMemory,
  similarMax,
} from '../../domain/memories/similar-memories.ts';
import type { Stores } from '../../domain/shared/stores.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import { Breather } from '../../lib/loop-time.ts';
import { analyze } from '../../search-index/analysis/index.ts';
import { comparedLengthMax, toCompared } from './compared-text.ts';
import { sameMatter } from './same-matter.ts';

/** Users whose terms are kept. */
const usersMax = 32;
const readAtOnce = 500;
/**
 * Creates a second beyond which none names similar memories: writing in bulk then costs nothing. The terms
 * of its user are dropped, and read again once it is quiet; so are those of twice as many memories as are read.
 */
const createsPerSecondMax = 100;

interface Known {
  /** Undefined until the user's memories have been read. */
  terms: MemoryTerms | undefined;
  /** Texts written during the read. */
  readonly waiting: Pick<Memory, 'id' | 'content'>[];
}

export interface SimilarTextsDeps {
  readonly stores: Stores;
  readonly report: (error: unknown) => void;
}

/** Counts events of this second and of the one before. */
class PerSecond {
  #second = 0;
  #now = 0;
  #before = 0;

  count(): void {
    this.#turn();
    this.#now++;
  }

  isAbove(most: number): boolean {
    this.#turn();
    return this.#now > most || this.#before > most;
  }

  #turn(): void {
    const second = Math.floor(performance.now() / 1000);
    if (second === this.#second) return;
    this.#before = second === this.#second + 1 ? this.#now : 0;
    this.#second = second;
    this.#now = 0;
  }
}

/**
 * Finds memories on the same matter by the terms of the user's newest memories, which are read in the background
 * at the first write: no request waits for it, for a model or for derivation.
 */
export class SimilarTexts implements SimilarMemories {
  readonly #deps: SimilarTextsDeps;
  readonly #users = new LRUCache<number, Known>({ max: usersMax });
  readonly #reading = new Set<Promise<void>>();
  readonly #creates = new PerSecond();
  #isStopped = false;

  constructor(deps: SimilarTextsDeps) {
    this.#deps = deps;
  }

  async to(user: UserRef, content: string): Promise<readonly SimilarMemory[]> {
    if (this.#creates.isAbove(createsPerSecondMax)) return [];
    const { terms } = this.#of(user);
    const ids = terms?.nearTo(content) ?? [];
    if (!terms || ids.length === 0) return [];
    const later = toCompared(content);
    const found = new Map<string, SimilarMemory>();
    for (const memory of await this.#deps.stores.forUser(user).memories.findMany(ids)) {
      if (isOutdated(memory.effectiveState)) continue;
      const kind = sameMatter(later, toCompared(memory.content), terms.weightOf);
      if (kind) found.set(memory.id, { memory, kind });
    }
    return ids.flatMap((id) => found.get(id) ?? []).slice(0, similarMax);
  }

  wrote(user: UserRef, { id, content }: Pick<Memory, 'id' | 'content'>): void {
    this.#creates.count();
    const known = this.#users.get(user.id);
    if (!known) return;
    const isTooLarge = (known.terms?.size ?? 0) >= 2 * memoriesMax;
    if (isTooLarge || this.#creates.isAbove(createsPerSecondMax)) this.#users.delete(user.id);
    else if (known.terms) known.terms.add(id, distinctTerms(content));
    else known.waiting.push({ id, content });
  }

  /** Drops the terms of a user: erased texts must not stay. */
  forget(user: Pick<UserRef, 'id'>): void {
    this.#users.delete(user.id);
  }

  /** Reads the user's memories in the background unless they are in the process. */
  warm(user: UserRef): void {
    this.#of(user);
  }

  #of(user: UserRef): Known {
    const known = this.#users.get(user.id);
    if (known) return known;
    const fresh: Known = { terms: undefined, waiting: [] };
    this.#users.set(user.id, fresh);
    const reading = this.#read(user)
      .then((terms) => {
        for (const { id, content } of fresh.waiting.splice(0)) terms.add(id, distinctTerms(content));
        fresh.terms = terms;
      })
      .catch((error: unknown) => {
        this.#users.delete(user.id);
        this.#deps.report(error);
      })
      .finally(() => this.#reading.delete(reading));
    this.#reading.add(reading);
    return fresh;
  }

  /** Ends the reads. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#reading);
  }

  async #read(user: UserRef): Promise<MemoryTerms> {
    const { memories } = this.#deps.stores.forUser(user);
    // Of each text only its terms are kept: together, texts can be larger than the process may be.
    const newest: { readonly id: string; readonly terms: readonly string[] }[] = [];
    const breather = new Breather();
    for (let before = Number.MAX_SAFE_INTEGER; newest.length < memoriesMax && !this.#isStopped; ) {
      const some = await memories.listBefore(before, readAtOnce);
      const last = some.at(-1);
      if (!last) break;
      before = last.seq;
      for (const { id, content } of some) {
        newest.push({ id, terms: distinctTerms(content) });
        const pause = breather.pause();
        if (pause) await pause;
      }
    }
    const terms = new MemoryTerms();
    for (const memory of newest.reverse()) terms.add(memory.id, memory.terms);
    return terms;
  }
}

/** Newest memories of a user whose terms are kept: about 2 MB for usual texts. */
const memoriesMax = 5000;
/** Maximum memories of a term that counts: more common ones tell nothing. */
const listMax = 64;
/** Maximum terms of a text, and memories counted for one text. */
const termsMax = 64;
const countedMax = 1024;
/** Minimum share of the weight of a text's terms that a memory needs to be compared. */
const shareMin = 0.3;
/** Maximum memories compared with one text. */
const comparedMax = 4;

/** Terms of a user's newest memories, in the process. */
export class MemoryTerms {
  readonly #ids: string[] = [];
  readonly #rowsOf = new Map<string, number[]>();

  get size(): number {
    return this.#ids.length;
  }

  /** @param terms of its text, by `distinctTerms` */
  add(id: string, terms: readonly string[]): void {
    const row = this.#ids.push(id) - 1;
    for (const term of terms) {
      const rows = this.#rowsOf.get(term);
      if (rows) rows.push(row);
      else this.#rowsOf.set(term, [row]);
    }
  }

  /** Higher for rarer terms. */
  readonly weightOf = (term: string): number =>
    Math.log(1 + this.size / (this.#rowsOf.get(term)?.length ?? 1));

  /** Ids of the memories that share most of the text, the nearest first. */
  nearTo(content: string): string[] {
    const terms = distinctTerms(content);
    const shared = new Map<number, number>();
    let whole = 0;
    let counted = 0;
    for (const term of terms) {
      const rows = this.#rowsOf.get(term) ?? [];
      const weight = this.weightOf(term);
      whole += weight;
      if (rows.length > listMax || counted > countedMax) continue;
      counted += rows.length;
      for (const row of rows) shared.set(row, (shared.get(row) ?? 0) + weight);
    }
    const near = [...shared].filter(([, weight]) => weight >= whole * shareMin);
    near.sort((a, b) => b[1] - a[1] || b[0] - a[0]);
    return [...new Set(near.map(([row]) => this.#ids[row]))].slice(0, comparedMax);
  }
}

/** Terms of the beginning of a text, each once, at most 64. */
export const distinctTerms = (content: string): string[] =>
  [...new Set(analyze(content.slice(0, comparedLengthMax)))].slice(0, termsMax);
