import type { Page, PageRequest } from '../shared/page.ts';
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

/** Separate from the implementations, which only the graph thread loads. */
export const communityAlgorithms = ['louvain', 'label-propagation'] as const;
export type CommunityAlgorithm = (typeof communityAlgorithms)[number];

/**
 * Reads one user's communities. A merged community appears as its target. Only
 * topics of live memories are visible, and a community without any is hidden.
 */
export interface CommunityReader {
  /** Largest first. */
  list(page: PageRequest): Promise<Page<Community>>;
  /** Finds a community by its id or the id of one merged into it. */
  find(id: string): Promise<Community | undefined>;
  /** Topic ids, strongest first. */
  topicsOf(id: string): Promise<string[]>;
  /** Communities that contain these topics, at most 1,000 rows. */
  communitiesOf(topicIds: readonly string[]): Promise<TopicInCommunity[]>;
  /** All communities, including those that are merged or not current. */
  listStored(): Promise<StoredCommunity[]>;
}

export interface TopicInCommunity {
  readonly topicId: string;
  readonly communityId: string;
}

export interface CommunityWriter extends CommunityReader {
  /** Replaces all communities. @param before the stored ones; only the differences are written */
  replace(before: readonly StoredCommunity[], communities: readonly StoredCommunity[]): Promise<void>;
}
