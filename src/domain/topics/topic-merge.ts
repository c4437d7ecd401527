import type { EpochMs } from '../shared/time.ts';

/** `running` and `undoing` merges still have memories to change; `done` and `running` ones are active. */
export const topicMergeStates = ['running', 'done', 'undoing', 'undone'] as const;
export type TopicMergeState = (typeof topicMergeStates)[number];

export interface TopicRef {
  readonly id: string;
  readonly name: string;
}

/** One topic merged into another: its name means `target` since then. */
export interface TopicMerge {
  readonly id: string;
  readonly source: TopicRef;
  /** The requested target; if it was merged later itself, the source follows it. */
  readonly target: TopicRef;
  readonly state: TopicMergeState;
  /** Number of live memories with a new version; those in the trash follow when they are restored. */
  readonly memoriesMoved: number;
  readonly createdAt: EpochMs;
  readonly undoneAt: EpochMs | null;
}

/** A topic that a memory shows, and the topic that this one means now. */
export interface TopicLink {
  readonly memoryId: string;
  readonly topicId: string;
  readonly normalizedName: string;
  readonly root: TopicRef;
}

/** Topic origin: a memory's own topic, shown as another one, `shownAs`, since a merge. */
export interface TopicOrigin {
  readonly memoryId: string;
  readonly topicId: string;
  readonly shownAs: string;
  /** Spelling and position in the memory's list at the time of the merge. */
  readonly name: string;
  readonly position: number;
}

export interface RootedOrigin extends TopicOrigin {
  /** The topic that `topicId` means now. */
  readonly root: TopicRef;
}

/** The merges of one user's topics. */
export interface TopicMergeReader {
  find(id: string): Promise<TopicMerge | undefined>;
  /** Merges that are not undone, newest first; at most `limit`. */
  listActive(limit: number): Promise<TopicMerge[]>;
  /** The oldest merge that still has memories to change. */
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
  /** Makes each of `topicIds` mean `canonicalId`. */
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
