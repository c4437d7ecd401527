import { randomUUID } from 'node:crypto';
import { Breather } from '../../lib/loop-time.ts';
import type { EpochMs } from '../shared/time.ts';
import type { CommunityAlgorithm, StoredCommunity } from './community.ts';

/** 10,000 topics take some 10 ms in all; the work yields to requests after this many. */
const turnMs = 2;

interface Detected {
  readonly algorithm: CommunityAlgorithm;
  readonly at: EpochMs;
  /** Strengths of each community's topics, by topic id. */
  readonly groups: readonly ReadonlyMap<string, number>[];
}

/**
 * The communities after a detection. A detected community keeps the id of the known one that it
 * overlaps most. A known community that was not detected again is dropped, unless a merge names
 * it: it is then kept hidden with its topics, so that the merge applies once it is detected again.
 */
export async function nextCommunities(
  before: readonly StoredCommunity[],
  { algorithm, at, groups }: Detected,
): Promise<StoredCommunity[]> {
  const breather = new Breather(turnMs);
  const matched = await matchCommunities(
    before.map(({ topics }) => topics),
    groups,
    breather,
  );
  const found: StoredCommunity[] = [];
  // Equal communities are listed by id, so new ids are assigned in order.
  const freshIds = groups.map(() => randomUUID()).sort();
  for (const [i, topics] of groups.entries()) {
    const known = before[matched[i] ?? -1];
    const isSame = known?.isCurrent === true && hasSameTopics(known.topics, topics);
    found.push({
      id: known?.id ?? freshIds[i],
      mergedInto: known?.mergedInto ?? null,
      isCurrent: true,
      algorithm,
      createdAt: known?.createdAt ?? at,
      updatedAt: isSame ? known.updatedAt : at,
      topics,
    });
    await breather.pause();
  }
  const foundIds = new Set(found.map(({ id }) => id));
  const targets = new Set(before.map(({ mergedInto }) => mergedInto));
  const kept = before
    .filter(({ id, mergedInto }) => !foundIds.has(id) && (mergedInto !== null || targets.has(id)))
    .map((community) => ({ ...community, isCurrent: false }));
  return [...found, ...kept];
}

function hasSameTopics(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): boolean {
  return a.size === b.size && [...a.keys()].every((topic) => b.has(topic));
}

/**
 * The communities after a merge is undone: the source is visible on its own
 * again. If the last detection did not find it, it takes back its topics.
 */
export function withoutMerge(before: readonly StoredCommunity[], id: string): StoredCommunity[] {
  const source = before.find((community) => community.id === id);
  return before.map((community) => {
    if (community.id === id) return { ...community, mergedInto: null, isCurrent: true };
    if (!source || source.isCurrent || !community.isCurrent) return community;
    const topics = new Map([...community.topics].filter(([topic]) => !source.topics.has(topic)));
    return topics.size === community.topics.size ? community : { ...community, topics };
  });
}

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
async function matchCommunities(
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
