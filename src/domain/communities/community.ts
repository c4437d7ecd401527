import type { CommunityAlgorithm } from '../graph/community-algorithm.ts';
import type { EpochMs } from '../shared/time.ts';

/** Topics that tend to be on the same memories. */
export interface Community {
  readonly id: string;
  /** Made from the names of its strongest topics. */
  readonly name: string;
  readonly description: string;
  /** Number of its topics that live memories have. */
  readonly topicCount: number;
  readonly algorithm: CommunityAlgorithm;
  readonly createdAt: EpochMs;
  /** Time of the last change of its topics. */
  readonly updatedAt: EpochMs;
}

/** A community as stored, with all its topics. */
export interface StoredCommunity {
  readonly id: string;
  readonly mergedInto: string | null;
  /** False if the last detection did not find it; it is kept because a merge names it. */
  readonly isCurrent: boolean;
  readonly algorithm: CommunityAlgorithm;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  /** Strengths by topic id. */
  readonly topics: ReadonlyMap<string, number>;
}

const namedAfter = 3;
const describedBy = 8;

/** @param names names of all its topics, strongest first */
export function communityName(names: readonly string[]): string {
  return names.slice(0, namedAfter).join(', ');
}

/** @param names names of all its topics, strongest first */
export function describeCommunity(names: readonly string[]): string {
  const shown = names.slice(0, describedBy).join(', ');
  const more = names.length - describedBy;
  const topics = `${names.length} ${names.length === 1 ? 'topic' : 'topics'}`;
  return `${topics} often on the same memories: ${shown}${more > 0 ? ` and ${more} more` : ''}.`;
}
