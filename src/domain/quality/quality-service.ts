import { LRUCache } from 'lru-cache';
import type { Clock } from '../../lib/clock.ts';
import { chunksOf } from '../../lib/collections.ts';
import { otherWork } from '../../lib/loop-time.ts';
import type { MemoryService } from '../memories/memory-service.ts';
import { inPart, invalidInput } from '../shared/errors.ts';
import type { Stores } from '../shared/stores.ts';
import { DAY_MS, type EpochMs } from '../shared/time.ts';
import type { UserRef } from '../shared/user-ref.ts';
import { type KeyedAct, writeAs } from '../shared/write.ts';
import { bandOf, type Quality, qualityOf } from './quality.ts';

export const minQualityThresholdDefault = 0.4;
export const recentDaysDefault = 7;

/** Memories read at once: a page takes some 10 ms. */
const pageSize = 500;
const deletedAtOnce = 100;
/** Maximum memories that one call prunes. */
export const prunedMax = 10_000;
/** Candidates shown with `includeDetails`, the worst first. */
export const detailsMax = 100;

interface Judged extends Quality {
  readonly id: string;
  readonly createdAt: number;
  /** Never pruned if true. */
  readonly isKept: boolean;
}

/** Reports on fewer memories are made for each call: they take less than 50 ms. */
const keptFrom = 5000;
const keptForMs = 10 * 60_000;
const reportsKeptMax = 500;

export interface QualityReport {
  /** When the memories were judged. */
  readonly at: EpochMs;
  readonly totalMemories: number;
  readonly distribution: { readonly high: number; readonly medium: number; readonly low: number };
  readonly averageQuality: number;
  /** Number of memories that a prune with this threshold and its defaults would delete. */
  readonly prunable: number;
  /** The worst of them, at most `detailsMax`. */
  readonly candidates: readonly Judged[];
}

interface PruneRequest {
  /** Maximum number to delete; all if undefined. */
  readonly targetReduction?: number;
  /** 0 to 1. */
  readonly minQualityThreshold: number;
  readonly preserveRecent: boolean;
  readonly recentDaysToPreserve: number;
  readonly dryRun: boolean;
}

interface QualityServiceDeps {
  readonly stores: Stores;
  readonly clock: Clock;
  readonly memories: Pick<MemoryService, 'bulkDelete'>;
}

/** Rates a user's memories, and moves the worst to the trash. */
export class QualityService {
  readonly #deps: QualityServiceDeps;
  readonly #kept = new LRUCache<string, QualityReport>({ max: reportsKeptMax });

  constructor(deps: QualityServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Of 5,000 memories and more it takes up to a second, and is that of the last call if this is at most 10 minutes old.
   * @param minQualityThreshold 0 to 1
   */
  async report(user: UserRef, minQualityThreshold: number, { isFresh = false } = {}): Promise<QualityReport> {
    const key = `${user.id} ${minQualityThreshold}`;
    const kept = isFresh ? undefined : this.#kept.get(key);
    if (kept && this.#deps.clock.now() - kept.at < keptForMs) return kept;
    const made = await this.#report(user, minQualityThreshold);
    if (made.totalMemories >= keptFrom) this.#kept.set(key, made);
    else this.#kept.delete(key);
    return made;
  }

  async #report(user: UserRef, minQualityThreshold: number): Promise<QualityReport> {
    const at = this.#deps.clock.now();
    const all = await this.#judgeAll(user);
    const distribution = { high: 0, medium: 0, low: 0 };
    for (const { score } of all) distribution[bandOf(score)]++;
    const sum = all.reduce((total, { score }) => total + score, 0);
    const candidates = this.#candidates(all, {
      minQualityThreshold,
      preserveRecent: true,
      recentDaysToPreserve: recentDaysDefault,
    });
    return {
      at,
      totalMemories: all.length,
      distribution,
      averageQuality: all.length === 0 ? 0 : sum / all.length,
      prunable: candidates.length,
      candidates: candidates.slice(0, detailsMax),
    };
  }

  /**
   * Moves the worst memories below the threshold to the trash, exactly those that a dry run lists. Named
   * memories, roots and resolutions of narratives, and memories of preserved days are never deleted.
   * @returns their ids, the worst first
   */
  async prune(
    user: UserRef,
    request: PruneRequest,
    act?: KeyedAct<readonly string[]>,
  ): Promise<readonly string[]> {
    if (!(request.recentDaysToPreserve >= 0))
      throw invalidInput('recentDaysToPreserve', 'must not be below 0');
    const candidates = this.#candidates(await this.#judgeAll(user), request);
    const count = Math.min(request.targetReduction ?? prunedMax, prunedMax);
    const found = candidates.slice(0, count).map(({ id }) => id);
    if (request.dryRun) return writeAs(this.#deps, user, async () => found, act);
    const ids = await this.#begin(user, found, act);
    const done = await this.#delete(user, ids);
    for (const key of this.#kept.keys()) if (key.startsWith(`${user.id} `)) this.#kept.delete(key);
    if (act) await writeAs(this.#deps, user, (write) => act.finish(write, done));
    return done;
  }

  /**
   * The ids that an earlier try of the same request began
   * to delete; for a first try `found`, which is recorded.
   */
  async #begin(
    user: UserRef,
    found: readonly string[],
    act: KeyedAct<readonly string[]> | undefined,
  ): Promise<readonly string[]> {
    if (!act) return found;
    return writeAs(this.#deps, user, async (write) => {
      const progress = await act.begin(write);
      if (progress !== undefined) return JSON.parse(progress) as string[];
      await act.note(write, JSON.stringify(found));
      return found;
    });
  }

  /** @returns the ids that this or an earlier try deleted */
  async #delete(user: UserRef, ids: readonly string[]): Promise<readonly string[]> {
    const gone = new Set<string>();
    for (const [i, some] of [...chunksOf(ids, deletedAtOnce)].entries()) {
      const deleted = this.#deps.memories.bulkDelete(user, some);
      const { errors } = await (i === 0 ? deleted : deleted.catch(notAll));
      // Deleted by another request in the meantime.
      for (const { id } of errors) gone.add(id);
    }
    return ids.filter((id) => !gone.has(id));
  }

  #candidates(
    all: readonly Judged[],
    request: Pick<PruneRequest, 'minQualityThreshold' | 'preserveRecent' | 'recentDaysToPreserve'>,
  ): Judged[] {
    const until = request.preserveRecent
      ? this.#deps.clock.now() - request.recentDaysToPreserve * DAY_MS
      : Number.POSITIVE_INFINITY;
    return (
      all
        .filter(
          ({ score, isKept, createdAt }) =>
            !isKept && score < request.minQualityThreshold && createdAt <= until,
        )
        // Equal scores are in order of creation.
        .sort((a, b) => a.score - b.score || a.createdAt - b.createdAt)
    );
  }

  async #judgeAll(user: UserRef): Promise<Judged[]> {
    const { quality } = this.#deps.stores.forUser(user);
    const now = this.#deps.clock.now();
    const ends = await quality.narrativeEnds();
    const all: Judged[] = [];
    for (let after: number | undefined = 0; after !== undefined; ) {
      const { traits, lastSeq } = await quality.traitsAfter(after, pageSize);
      for (const one of traits)
        all.push({
          id: one.id,
          createdAt: one.createdAt,
          isKept: one.isNamed || ends.has(one.id),
          ...qualityOf(one, now),
        });
      after = lastSeq;
      // Lets other work run between pages.
      await otherWork();
    }
    return all;
  }
}

const notAll = inPart('Only some of the memories are deleted');
