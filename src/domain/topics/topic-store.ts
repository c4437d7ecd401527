import type { Page, PageRequest } from '../shared/page.ts';
import type { EpochMs } from '../shared/time.ts';
import type { Topic } from './topic.ts';

export interface TopicListQuery extends PageRequest {
  readonly sortBy: 'name' | 'memoryCount';
  readonly order: 'asc' | 'desc';
}

/** Reads of one user's topics. A topic that no live memory carries any more is still there, with count 0. */
export interface TopicReader {
  /** By id or, as clients also send it, by name. */
  find(idOrName: string): Promise<Topic | undefined>;
  list(query: TopicListQuery): Promise<Page<Topic>>;
  count(): Promise<number>;
}

export interface TopicWriter extends TopicReader {
  /** Makes the memory carry exactly the topics `names`, creating those that are new. */
  assign(memoryId: string, names: readonly string[], at: EpochMs): Promise<void>;
}
