import type { UserRef } from '../domain/shared/user-ref.ts';
import type { UserStore } from '../domain/users/user.ts';
import type { FailureReporter } from '../lib/failure-log.ts';
import { searchDefaults } from './request.ts';
import type { Search } from './search-port.ts';

export interface WarmUpDeps {
  readonly users: Pick<UserStore, 'listRecentlyActive'>;
  readonly search: Pick<Search, 'browse' | 'search'>;
  /** Reads the terms by which creates name similar memories. */
  readonly similar?: { warm(user: UserRef): void };
  readonly failures: FailureReporter;
  /** Whether the index of another user fits in memory without evicting one that was read before. */
  readonly hasRoom: () => boolean;
  /** Whether no request waits, which a search of the warm-up would delay. */
  readonly isIdle: () => boolean;
}

export interface WarmedUp {
  readonly users: number;
  readonly ms: number;
}

const usersMax = 16;
/** No further user is searched after this time. */
const durationMaxMs = 10_000;
/** Number of searches for the first user: V8 optimizes functions that ran several times. */
const firstSearches = 8;
const queryWordsMax = 6;
const word = /[\p{L}\p{N}]{2,}/gu;
/** UTF-16 units of the newest memory to take words from. */
const textLengthMax = 1000;

/**
 * Searches for words of the newest memories of the users who were active last. After a
 * start their indexes are then in memory, and the ranking code is compiled, before their
 * requests arrive. Like Solr's `firstSearcher` and the warming of a Lucene searcher.
 */
export class WarmUp {
  readonly #deps: WarmUpDeps;
  #isStopped = false;
  #running: Promise<WarmedUp> | undefined;

  constructor(deps: WarmUpDeps) {
    this.#deps = deps;
  }

  /** Never rejects: a user whose search fails is reported, and the next one follows. */
  start(): Promise<WarmedUp> {
    this.#running ??= this.#run();
    return this.#running;
  }

  /** Waits for the running search. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async #run(): Promise<WarmedUp> {
    const began = performance.now();
    let users = 0;
    for (const user of await this.#users()) {
      if (!this.#goesOn() || !this.#deps.hasRoom() || performance.now() - began > durationMaxMs) break;
      if (await this.#searchFor(user, users === 0 ? firstSearches : 1)) users++;
    }
    return { users, ms: Math.round(performance.now() - began) };
  }

  #goesOn(): boolean {
    return !this.#isStopped && this.#deps.isIdle();
  }

  async #users(): Promise<UserRef[]> {
    try {
      return await this.#deps.users.listRecentlyActive(usersMax);
    } catch (error) {
      this.#deps.failures.failed('warm_up', error);
      return [];
    }
  }

  async #searchFor(user: UserRef, count: number): Promise<boolean> {
    const { search, similar, failures } = this.#deps;
    try {
      const { filter, order } = searchDefaults;
      const newest = await search.browse(user, {
        filter,
        sortBy: 'createdAt',
        order,
        limit: count,
        offset: 0,
      });
      for (const { content } of newest.items) {
        const query = queryOf(content);
        if (!this.#goesOn()) break;
        if (query !== '') await search.search(user, { ...searchDefaults, query, limit: 10 });
      }
      similar?.warm(user);
      return true;
    } catch (error) {
      failures.failed('warm_up', error);
      return false;
    }
  }
}

function queryOf(text: string): string {
  return (text.slice(0, textLengthMax).match(word) ?? []).slice(0, queryWordsMax).join(' ');
}
