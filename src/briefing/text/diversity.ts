import { jaccard } from '../../lib/collections.ts';
import { Breather } from '../../lib/loop-time.ts';

interface Ranked {
  readonly terms: ReadonlySet<string>;
  /** 0 and up. */
  readonly score: number;
}

/** Weight of the score against the similarity to earlier choices. */
const scoreShare = 0.9;

/**
 * Chooses by maximal marginal relevance (Carbonell and Goldstein 1998): each next one has the
 * best score less its similarity to earlier choices. Time grows with candidates x chosen.
 * @param candidates their scores are compared by their share of the highest
 * @returns at most `count`, in the order of choice
 */
export async function chooseDiverse<T extends Ranked>(candidates: readonly T[], count: number): Promise<T[]> {
  const breather = new Breather();
  const highest = Math.max(...candidates.map(({ score }) => score), Number.MIN_VALUE);
  const left = candidates.map((candidate) => ({ candidate, likeness: 0 }));
  const chosen: T[] = [];
  while (chosen.length < count && left.length > 0) {
    const pause = breather.pause();
    if (pause) await pause;
    let best = 0;
    let bestGain = Number.NEGATIVE_INFINITY;
    for (const [i, { candidate, likeness }] of left.entries()) {
      const gain = scoreShare * (candidate.score / highest) - (1 - scoreShare) * likeness;
      if (gain > bestGain) [best, bestGain] = [i, gain];
    }
    const [{ candidate }] = left.splice(best, 1);
    chosen.push(candidate);
    for (const other of left)
      other.likeness = Math.max(other.likeness, jaccard(candidate.terms, other.candidate.terms));
  }
  return chosen;
}
