import { randomUUID } from 'node:crypto';
import { OneAtATime } from '../../lib/async.ts';
import { type Memory, orderTime } from '../memories/memory.ts';
import { invalidInput } from '../shared/errors.ts';
import type { UserReaders } from '../shared/stores.ts';
import { type EpochMs, parseTime, parseWindowStart } from '../shared/time.ts';
import type { UserRef } from '../shared/user-ref.ts';
import { type KeyedAct, type Write, type WriteDeps, writeAs } from '../shared/write.ts';
import { detectPatterns, ReadSources } from './detect/detect-patterns.ts';
import type { FoundPattern } from './detect/found-pattern.ts';
import type { Pattern } from './pattern.ts';
import { newPattern, storeFound, toSource } from './store-patterns.ts';

export const detectDefaults = { minConfidence: 0.5, maxResults: 50, autoStore: true } as const;
export const compileDefaults = { minOccurrences: 2, timeWindow: '30d' } as const;
export const maxResultsMax = 500;

interface DetectRequest {
  /** Only memories that contain this text or have a topic of this name. */
  readonly contextFilter?: string;
  /** ISO 8601. */
  readonly timeframeStart?: string;
  readonly timeframeEnd?: string;
  readonly minConfidence?: number;
  readonly maxResults?: number;
  readonly autoStore?: boolean;
}

export interface DetectedPatterns extends ReadForPatterns {
  /** By falling confidence. A pattern that is not stored has an id valid in this response only. */
  readonly patterns: readonly Pattern[];
  readonly stored: number;
}

export interface CompiledPatterns extends ReadForPatterns {
  /** Stored patterns, by falling confidence. */
  readonly patterns: readonly Pattern[];
}

interface CompileRequest {
  readonly minOccurrences?: number;
  /** `30d`; see `parseWindowStart`. */
  readonly timeWindow?: string;
}

/** Finds patterns in memories and stores them. One detection of a user runs at a time. */
export class PatternDetection {
  readonly #deps: WriteDeps;
  readonly #turns = new OneAtATime<number>();

  constructor(deps: WriteDeps) {
    this.#deps = deps;
  }

  /** @throws 422 */
  detect(user: UserRef, request: DetectRequest, act?: KeyedAct<DetectedPatterns>): Promise<DetectedPatterns> {
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
          const patterns = kept.map((one) => newPattern(one, ids.get(one.key) ?? randomUUID(), write.at));
          return { patterns, stored: 0, ...read };
        },
        act,
      );
    });
  }

  /** Detects over the window and stores the patterns seen often enough. @throws 422 */
  compile(
    user: UserRef,
    request: CompileRequest,
    act?: KeyedAct<CompiledPatterns>,
  ): Promise<CompiledPatterns> {
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

/** Maximum live memories whose text one detection reads, the latest first. */
export const memoriesReadMax = 5000;
/** Maximum live memories whose time and filter it checks. */
const memoriesSeenMax = 20_000;
const memoriesAtOnce = 200;

interface FindRequest extends Pick<DetectRequest, 'contextFilter'> {
  readonly from?: EpochMs;
  readonly to?: EpochMs;
}

/** Amount of data that a detection read. */
interface ReadForPatterns {
  readonly memoriesRead: number;
  /** Claims in their sentences. */
  readonly claimsRead: number;
  /** Whether a bound left out older memories. */
  readonly isCut: boolean;
}

interface FoundPatterns {
  /** By falling confidence. */
  readonly found: readonly FoundPattern[];
  readonly read: ReadForPatterns;
}

type Readers = Pick<UserReaders, 'memories'>;

/** Reads memories by pages, the latest first, and finds patterns in them. */
async function findPatterns(readers: Readers, request: FindRequest): Promise<FoundPatterns> {
  const texts = new ReadSources();
  let seen = 0;
  let seq = Number.MAX_SAFE_INTEGER;
  let isCut = false;
  for (;;) {
    const page = await readers.memories.listBefore(seq, memoriesAtOnce);
    const last = page.at(-1);
    if (last === undefined) break;
    seq = last.seq;
    seen += page.length;
    const sources = page.filter(isCounted).filter(isWithin(request)).map(toSource);
    const isPartly = (await texts.read(sources)) < sources.length;
    if (!texts.isFull && texts.sources.length < memoriesReadMax && seen < memoriesSeenMax) continue;
    isCut = isPartly || (await readers.memories.listBefore(seq, 1)).length > 0;
    break;
  }
  const read = { memoriesRead: texts.sources.length, claimsRead: texts.claims.length, isCut };
  return { found: await detectPatterns(texts), read };
}

/** A duplicate adds no evidence to that of its original. */
const isCounted = ({ effectiveState }: Memory): boolean => effectiveState !== 'duplicate';

function isWithin({ from, to, contextFilter }: FindRequest): (memory: Memory) => boolean {
  const requested = contextFilter?.trim().toLowerCase();
  return (memory) => {
    const at = orderTime(memory);
    if ((from !== undefined && at < from) || (to !== undefined && at > to)) return false;
    if (!requested) return true;
    return (
      memory.topics.some((topic) => topic.toLowerCase() === requested) ||
      [memory.content, memory.context ?? ''].some((text) => text.toLowerCase().includes(requested))
    );
  };
}
