import type { CommunityAlgorithm } from '../graph/community-algorithm.ts';
import type { EpochMs } from '../shared/time.ts';

/** Topics that tend to be on the same memories. */
export interface Community {
  readonly id: string;
  /** Its strongest topics. */
  readonly name: string;
  readonly description: string;
  /** Topics of live memories. */
  readonly topicCount: number;
  readonly algorithm: CommunityAlgorithm;
  readonly createdAt: EpochMs;
  /** When its topics changed. */
  readonly updatedAt: EpochMs;
}

/** A community as stored, with all its topics. */
export interface StoredCommunity {
  readonly id: string;
  readonly mergedInto: string | null;
  /** False where the last detection did not find it, and a merge names it. */
  readonly isCurrent: boolean;
  readonly algorithm: CommunityAlgorithm;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  /** By id. */
  readonly topics: ReadonlyMap<string, number>;
}

const namedAfter = 3;
const describedBy = 8;

/** @param names of all its topics, the strongest first */
export function communityName(names: readonly string[]): string {
  return names.slice(0, namedAfter).join(', ');
}

/** @param names of all its topics, the strongest first */
export function describeCommunity(names: readonly string[]): string {
  const shown = names.slice(0, describedBy).join(', ');
  const more = names.length - describedBy;
  const topics = `${names.length} ${names.length === 1 ? 'topic' : 'topics'}`;
  return `${topics} often on the same memories: ${shown}${more > 0 ? ` and ${more} more` : ''}.`;
}
