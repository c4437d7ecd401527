import type { Breather } from '../../lib/loop-time.ts';

/** Minimum overlap (Jaccard index) of the same community in two detections. */
const overlapMin = 0.25;

/** Topics of a community, by id. */
type Topics = ReadonlyMap<string, unknown>;

interface Match {
  readonly found: number;
  readonly known: number;
  readonly overlap: number;
}

/**
 * Matches detected communities with known ones, so that ids
 * survive detections: greatest overlap first, each community once.
 * @returns for each detected community the index of its known one; undefined if it is new
 */
export async function matchCommunities(
  known: readonly Topics[],
  found: readonly Topics[],
  breather: Breather,
): Promise<(number | undefined)[]> {
  const matches = (await overlaps(known, found, breather))
    .filter(({ overlap }) => overlap >= overlapMin)
    .sort((a, b) => b.overlap - a.overlap || a.known - b.known || a.found - b.found);
  const result: (number | undefined)[] = found.map(() => undefined);
  const taken = new Set<number>();
  for (const match of matches) {
    if (result[match.found] !== undefined || taken.has(match.known)) continue;
    result[match.found] = match.known;
    taken.add(match.known);
  }
  return result;
}

async function overlaps(
  known: readonly Topics[],
  found: readonly Topics[],
  breather: Breather,
): Promise<Match[]> {
  const knownWith = new Map<string, number[]>();
  for (const [i, topics] of known.entries()) {
    for (const topic of topics.keys()) {
      const others = knownWith.get(topic);
      if (others) others.push(i);
      else knownWith.set(topic, [i]);
    }
    await breather.pause();
  }
  const matches: Match[] = [];
  for (const [i, topics] of found.entries()) {
    const shared = new Map<number, number>();
    for (const topic of topics.keys())
      for (const other of knownWith.get(topic) ?? []) shared.set(other, (shared.get(other) ?? 0) + 1);
    for (const [other, count] of shared) {
      const overlap = count / (topics.size + (known[other]?.size ?? 0) - count);
      matches.push({ found: i, known: other, overlap });
    }
    await breather.pause();
  }
  return matches;
}
