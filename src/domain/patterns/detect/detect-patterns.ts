import { Breather } from '../../../lib/breather.ts';
import type { EpochMs } from '../../shared/time.ts';
import { claimsOf } from './claims.ts';
import { foundInClaims } from './found-in-claims.ts';
import { foundInSequences } from './found-in-sequences.ts';
import { foundInTimes } from './found-in-times.ts';
import type { Claim, Found, Source } from './source.ts';

/** Of one detection. */
export interface DetectBounds {
  readonly claims: number;
  /** Of all memories, in UTF-16 units. */
  readonly characters: number;
  /** For which texts are read. */
  readonly ms: number;
}

export const detectBounds: DetectBounds = { claims: 20_000, characters: 10_000_000, ms: 10_000 };

/** Memories as they are read, the last written first, with what they claim, until a bound is reached. */
export class ReadSources {
  readonly sources: Source[] = [];
  readonly claims: Claim[] = [];
  readonly #bounds: DetectBounds;
  readonly #breather = new Breather();
  readonly #began = performance.now();
  #characters = 0;

  constructor(bounds: DetectBounds = detectBounds) {
    this.#bounds = bounds;
  }

  /** @returns how many of these were read: all but where a bound was reached */
  async read(sources: readonly Source[]): Promise<number> {
    for (const [i, source] of sources.entries()) {
      if (this.isFull) return i;
      this.sources.push(source);
      for (const claim of claimsOf(source)) this.claims.push(claim);
      this.#characters += source.content.length;
      const pause = this.#breather.pause();
      if (pause) await pause;
    }
    return sources.length;
  }

  get isFull(): boolean {
    const { claims, characters, ms } = this.#bounds;
    return (
      this.claims.length >= claims || this.#characters >= characters || performance.now() - this.#began >= ms
    );
  }
}

/**
 * What recurs in these memories, the surest first. Time grows with memories and claims, and other work passes in between;
 * the same memories give the same patterns.
 */
export async function detectPatterns({
  sources,
  claims,
}: Pick<ReadSources, 'sources' | 'claims'>): Promise<Found[]> {
  const newest: EpochMs = sources.reduce((last, { at }) => Math.max(last, at), 0);
  const byKey = new Map<string, Found>();
  for (const found of [
    await foundInClaims(claims, newest),
    await foundInSequences(sources, newest),
    await foundInTimes(sources),
  ])
    for (const one of found) if (!byKey.has(one.key)) byKey.set(one.key, one);
  return [...byKey.values()].sort(
    (a, b) =>
      b.confidence - a.confidence || b.evidence.length - a.evidence.length || (a.key < b.key ? -1 : 1),
  );
}
