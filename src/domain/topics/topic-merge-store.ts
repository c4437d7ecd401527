import type { EpochMs } from '../shared/time.ts';
import type {
  RootedOrigin,
  TopicLink,
  TopicMerge,
  TopicMergeState,
  TopicOrigin,
  TopicRef,
} from './topic-merge.ts';

/** The merges of one user's topics. */
export interface TopicMergeReader {
  find(id: string): Promise<TopicMerge | undefined>;
  /** Merges that are not undone, newest first; at most `limit`. */
  listActive(limit: number): Promise<TopicMerge[]>;
  /** The oldest merge of which memories are still to be changed. */
  findUnfinished(): Promise<TopicMerge | undefined>;
}

/** Topics of memories under merges: the topics shown, and the origins that they replace. */
export interface TopicRows {
  readonly links: readonly TopicLink[];
  readonly origins: readonly RootedOrigin[];
}

/** Rows to be written for one memory. */
export interface TopicRowsOfMemory {
  readonly memoryId: string;
  readonly topicIds: readonly string[];
  readonly origins: readonly Omit<TopicOrigin, 'memoryId'>[];
}

export interface TopicMergeWriter extends TopicMergeReader {
  insert(merge: TopicMerge): Promise<void>;
  setState(id: string, state: TopicMergeState, undoneAt: EpochMs | null): Promise<void>;
  addMoved(id: string, memories: number): Promise<void>;
  /** Names that mean `topicId`, its own included. */
  listNamesOf(topicId: string): Promise<TopicRef[]>;
  /** Lets each of `topicIds` mean `canonicalId`. */
  redirect(topicIds: readonly string[], canonicalId: string): Promise<void>;
  /** Live memories that still show the alias `topicId` itself, at most `limit`. */
  memoriesShowing(topicId: string, limit: number): Promise<string[]>;
  /** Live memories with an origin that means `topicId` and is shown as another topic, at most `limit`. */
  memoriesHiding(topicId: string, limit: number): Promise<string[]>;
  /** At most 1,000 memories. */
  topicRowsOf(memoryIds: readonly string[]): Promise<TopicRows>;
  /** Replaces the shown topics and origins of these memories; at most 1,000 memories. */
  replaceTopicRows(memories: readonly TopicRowsOfMemory[]): Promise<void>;
}
