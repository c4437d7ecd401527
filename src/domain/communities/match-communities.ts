/** Less in common than this (Jaccard index), and it is another community. */
const overlapMin = 0.25;

interface Match {
  readonly found: number;
  readonly known: number;
  readonly overlap: number;
}

/**
 * Which known community each found one goes on as, so that ids stay over detections: those that have the most in common
 * first, each once.
 * @returns by the place of the found one, the place of the known one; undefined for a new community
 */
export function matchCommunities(
  known: readonly ReadonlySet<string>[],
  found: readonly ReadonlySet<string>[],
): (number | undefined)[] {
  const matches = overlaps(known, found)
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

function overlaps(known: readonly ReadonlySet<string>[], found: readonly ReadonlySet<string>[]): Match[] {
  const knownWith = new Map<string, number[]>();
  for (const [i, topics] of known.entries())
    for (const topic of topics) knownWith.set(topic, [...(knownWith.get(topic) ?? []), i]);
  return found.flatMap((topics, i) => {
    const shared = new Map<number, number>();
    for (const topic of topics)
      for (const other of knownWith.get(topic) ?? []) shared.set(other, (shared.get(other) ?? 0) + 1);
    return [...shared].map(([other, count]) => ({
      found: i,
      known: other,
      overlap: count / (topics.size + (known[other]?.size ?? 0) - count),
    }));
  });
}
