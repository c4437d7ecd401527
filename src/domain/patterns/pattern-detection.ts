import { randomUUID } from 'node:crypto';
import { OneAtATime } from '../../lib/one-at-a-time.ts';
import { invalidInput } from '../shared/errors.ts';
import { parseTime, parseWindowStart } from '../shared/time.ts';
import type { UserRef } from '../shared/user-ref.ts';
import { type KeyedAct, type Write, type WriteDeps, writeAs } from '../shared/write.ts';
import { findPatterns, type ReadForPatterns } from './find-patterns.ts';
import type { Pattern } from './pattern.ts';
import { patternOf, storeFound } from './store-found.ts';

export const detectDefaults = { minConfidence: 0.5, maxResults: 50, autoStore: true } as const;
export const compileDefaults = { minOccurrences: 2, timeWindow: '30d' } as const;
export const maxResultsMax = 500;

export interface DetectRequest {
  /** Only memories that have this text, or a topic of this name. */
  readonly contextFilter?: string;
  /** ISO 8601. */
  readonly timeframeStart?: string;
  readonly timeframeEnd?: string;
  readonly minConfidence?: number;
  readonly maxResults?: number;
  readonly autoStore?: boolean;
}

export interface Detected extends ReadForPatterns {
  /** The surest first; one that is not stored has an id of this response alone. */
  readonly patterns: readonly Pattern[];
  readonly stored: number;
}

export interface Compiled extends ReadForPatterns {
  /** As stored now, the surest first. */
  readonly patterns: readonly Pattern[];
}

export interface CompileRequest {
  readonly minOccurrences?: number;
  /** `30d`; see `parseWindowStart`. */
  readonly timeWindow?: string;
}

/** Finds what recurs in memories, and stores it. One detection of a user runs at a time. */
export class PatternDetection {
  readonly #deps: WriteDeps;
  readonly #turns = new OneAtATime<number>();

  constructor(deps: WriteDeps) {
    this.#deps = deps;
  }

  /** @throws 422 */
  detect(user: UserRef, request: DetectRequest, act?: KeyedAct<Detected>): Promise<Detected> {
    const { minConfidence, maxResults, autoStore } = { ...detectDefaults, ...request };
    const { timeframeStart, timeframeEnd, contextFilter } = request;
    const from = timeframeStart === undefined ? undefined : parseTime(timeframeStart, 'timeframeStart');
    const to = timeframeEnd === undefined ? undefined : parseTime(timeframeEnd, 'timeframeEnd', 'end');
    if (from !== undefined && to !== undefined && from > to)
      throw invalidInput('timeframeEnd', 'must not be before timeframeStart');
    return this.#turns.run(user.id, async () => {
      const own = this.#deps.stores.forUser(user);
      const { found, read } = await findPatterns(own, { from, to, contextFilter });
      const kept = found.filter(({ confidence }) => confidence >= minConfidence).slice(0, maxResults);
      return writeAs(
        this.#deps,
        user,
        async (write) => {
          if (autoStore) {
            const patterns = await storeFound(write, kept);
            return { patterns, stored: patterns.length, ...read };
          }
          const known = await write.tx.patterns.findByKeys(kept.map(({ key }) => key));
          const ids = new Map(known.map(({ key, id }) => [key, id]));
          const patterns = kept.map((one) => patternOf(one, ids.get(one.key) ?? randomUUID(), write.at));
          return { patterns, stored: 0, ...read };
        },
        act,
      );
    });
  }

  /** Detects over the window and stores what was seen often enough. @throws 422 */
  compile(user: UserRef, request: CompileRequest, act?: KeyedAct<Compiled>): Promise<Compiled> {
    const { minOccurrences, timeWindow } = { ...compileDefaults, ...request };
    const from = parseWindowStart(timeWindow, 'timeWindow', this.#deps.clock.now());
    return this.#turns.run(user.id, async () => {
      const { found, read } = await findPatterns(this.#deps.stores.forUser(user), { from });
      const kept = found.filter(({ evidence }) => evidence.length >= minOccurrences).slice(0, maxResultsMax);
      const store = async (write: Write) => ({ patterns: await storeFound(write, kept), ...read });
      return writeAs(this.#deps, user, store, act);
    });
  }
}
