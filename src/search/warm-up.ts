import { setTimeout } from 'node:timers/promises';
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

/** A search as an agent makes it, over MCP. */
export type SearchAsAgent = (user: UserRef, query: string) => Promise<void>;

const usersMax = 16;
/** No further user is searched after this time. */
const durationMaxMs = 10_000;
/** Number of searches for the first user: V8 optimizes functions that ran several times. */
const firstSearches = 8;
/** Searches as an agent; V8 has then compiled most of what prompts need. */
const agentSearches = 64;
/** Searches as an agent wait so long for a pause of the requests, in all. */
const pauseMaxMs = 60_000;
const pauseMs = 200;
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
  #indexes: Promise<WarmedUp> | undefined;
  #agent: Promise<void> | undefined;

  constructor(deps: WarmUpDeps) {
    this.#deps = deps;
  }

  /**
   * Never rejects: a user whose search fails is reported, and the next one follows. With `asAgent` searches over MCP come
   * after it, in pauses of the requests.
   */
  start(asAgent?: SearchAsAgent): Promise<WarmedUp> {
    this.#indexes ??= this.#run();
    if (asAgent) this.#agent ??= this.#indexes.then(() => this.#practise(asAgent));
    return this.#indexes;
  }

  /** Waits for the running search. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#indexes;
    await this.#agent;
  }

  async #run(): Promise<WarmedUp> {
    const began = performance.now();
    let users = 0;
    for (const user of await this.#users(usersMax)) {
      if (!this.#goesOn() || !this.#deps.hasRoom() || performance.now() - began > durationMaxMs) break;
      if (await this.#searchFor(user, users === 0 ? firstSearches : 1)) users++;
    }
    return { users, ms: Math.round(performance.now() - began) };
  }

  /** Prompts come by hooks over MCP, whose code is otherwise loaded and compiled while a person waits. */
  async #practise(asAgent: SearchAsAgent): Promise<void> {
    const until = performance.now() + pauseMaxMs;
    const isPaused = async () => {
      while (!this.#goesOn()) {
        if (this.#isStopped || performance.now() > until) return false;
        await setTimeout(pauseMs, undefined, { ref: false });
      }
      return true;
    };
    // The service begins to listen first.
    await setTimeout(pauseMs, undefined, { ref: false });
    try {
      for (const user of await this.#users(1))
        for (const query of await this.#queries(user, agentSearches)) {
          if (!(await isPaused())) return;
          await asAgent(user, query);
        }
    } catch (error) {
      this.#deps.failures.failed('warm_up', error);
    }
  }

  #goesOn(): boolean {
    return !this.#isStopped && this.#deps.isIdle();
  }

  async #users(limit: number): Promise<UserRef[]> {
    try {
      return await this.#deps.users.listRecentlyActive(limit);
    } catch (error) {
      this.#deps.failures.failed('warm_up', error);
      return [];
    }
  }

  async #searchFor(user: UserRef, count: number): Promise<boolean> {
    const { search, similar, failures } = this.#deps;
    try {
      for (const query of await this.#queries(user, count)) {
        if (!this.#goesOn()) break;
        await search.search(user, { ...searchDefaults, query, limit: 10 });
      }
      similar?.warm(user);
      return true;
    } catch (error) {
      failures.failed('warm_up', error);
      return false;
    }
  }

  /** Questions made of the newest memories. */
  async #queries(user: UserRef, limit: number): Promise<string[]> {
    const { filter, order } = searchDefaults;
    const newest = await this.#deps.search.browse(user, {
      filter,
      sortBy: 'createdAt',
      order,
      limit,
      offset: 0,
    });
    const words = newest.items.map(({ content }) => wordsOf(content)).filter((text) => text !== '');
    return words.map((text, i) => questions[i % questions.length](text));
  }
}

/** As people ask, each of the words of a memory; patterns for times are compiled for the first query that has one. */
const questions: readonly ((words: string) => string)[] = [
  (words) => words,
  (words) => `when was ${words} last week?`,
  (words) => `how do we know ${words}?`,
  (words) => `who decided and why not ${words}`,
];

function wordsOf(text: string): string {
  return (text.slice(0, textLengthMax).match(word) ?? []).slice(0, queryWordsMax).join(' ');
}
