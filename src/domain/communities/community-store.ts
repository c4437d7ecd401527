import type { Page, PageRequest } from '../shared/page.ts';
import type { Community, StoredCommunity } from './community.ts';

/**
 * Reads of one user's communities. One that was merged into another is shown as that one, and only topics of live memories
 * are shown; a community without any is none.
 */
export interface CommunityReader {
  /** The largest first. */
  list(page: PageRequest): Promise<Page<Community>>;
  /** By its id, or the id of one merged into it. */
  find(id: string): Promise<Community | undefined>;
  /** Ids of its topics, the strongest first. */
  topicsOf(id: string): Promise<string[]>;
  /** Communities that have these topics, at most 1,000. */
  communitiesOf(topicIds: readonly string[]): Promise<TopicInCommunity[]>;
  /** All there are, merged ones and those that are not current included. */
  listStored(): Promise<StoredCommunity[]>;
}

export interface TopicInCommunity {
  readonly topicId: string;
  readonly communityId: string;
}

export interface CommunityWriter extends CommunityReader {
  /** Makes `communities` all there are. @param before what there was, of which only the differences are written */
  replace(before: readonly StoredCommunity[], communities: readonly StoredCommunity[]): Promise<void>;
}
