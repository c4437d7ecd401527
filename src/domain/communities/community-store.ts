import type { Page, PageRequest } from '../shared/page.ts';
import type { Community, StoredCommunity } from './community.ts';

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
