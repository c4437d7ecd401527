import type { EpochMs } from '../shared/time.ts';

/** Running and undoing ones still have memories to change; done ones stand; undone ones are history. */
export const topicMergeStates = ['running', 'done', 'undoing', 'undone'] as const;
export type TopicMergeState = (typeof topicMergeStates)[number];

export interface TopicRef {
  readonly id: string;
  readonly name: string;
}

/** One topic taken into another: since then the name of `source` means `target`. */
export interface TopicMerge {
  readonly id: string;
  readonly source: TopicRef;
  /** As chosen; when that was itself merged later, the source means what the target means. */
  readonly target: TopicRef;
  readonly state: TopicMergeState;
  /** Live memories that got a new version; those that were in the trash follow when they are restored. */
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
  /** How the memory spelt it, and where in its list, when it was merged away. */
  readonly name: string;
  readonly position: number;
}

export interface RootedOrigin extends TopicOrigin {
  /** The topic that `topicId` means now. */
  readonly root: TopicRef;
}
