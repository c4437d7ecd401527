import { Breather } from '../../../lib/loop-time.ts';
import type { EpochMs } from '../../shared/time.ts';
import { claimsIn } from './claims.ts';
import { foundInClaims } from './found-in-claims.ts';
import { foundInSequences } from './found-in-sequences.ts';
import { foundInTimes } from './found-in-times.ts';
import type { Claim, FoundPattern, SourceMemory } from './found-pattern.ts';

/** Maximum data that one detection reads. */
export interface DetectBounds {
  readonly claims: number;
  /** UTF-16 units of all memories. */
  readonly characters: number;
  readonly ms: number;
}

export const detectBounds: DetectBounds = { claims: 20_000, characters: 10_000_000, ms: 10_000 };

/** Collects memories and their claims until a bound is reached. */
export class ReadSources {
  readonly sources: SourceMemory[] = [];
  readonly claims: Claim[] = [];
  readonly #bounds: DetectBounds;
  readonly #breather = new Breather();
  readonly #began = performance.now();
  #characters = 0;

  constructor(bounds: DetectBounds = detectBounds) {
    this.#bounds = bounds;
  }

  /** @returns how many of them were read: fewer than given if a bound was reached */
  async read(sources: readonly SourceMemory[]): Promise<number> {
    for (const [i, source] of sources.entries()) {
      if (this.isFull) return i;
      this.sources.push(source);
      for (const claim of claimsIn(source)) this.claims.push(claim);
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
 * Patterns of these memories by falling confidence. Deterministic;
 * lets other work run. Takes linear time in memories and claims.
 */
export async function detectPatterns({
  sources,
  claims,
}: Pick<ReadSources, 'sources' | 'claims'>): Promise<FoundPattern[]> {
  const newest: EpochMs = sources.reduce((last, { at }) => Math.max(last, at), 0);
  const byKey = new Map<string, FoundPattern>();
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
