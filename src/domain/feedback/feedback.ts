import type { EpochMs } from '../shared/time.ts';

export const feedbackActions = ['selected', 'not_selected'] as const;
export type FeedbackAction = (typeof feedbackActions)[number];

/** Maximum entries of one user; the oldest are deleted beyond it. */
export const feedbackKeptMax = 10_000;

/** Characters kept of the query that was asked. */
export const feedbackQueryMax = 1_000;
export const searchMethodLengthMax = 50;
export const searchSessionIdLengthMax = 200;

/** Action on a memory that a search had found. */
export interface Feedback {
  readonly memoryId: string;
  readonly action: FeedbackAction;
  readonly query: string | null;
  /** Search session, as named by the client. */
  readonly searchMethod: string | null;
  readonly searchSessionId: string | null;
  /** Place in the list of results, as the client counts. */
  readonly position: number | null;
}

/** Feedback as it is stored, for ranking. */
export interface FeedbackEntry {
  /** Rises by user in the order of writing. */
  readonly number: number;
  /** Of the memory. */
  readonly seq: number;
  readonly action: FeedbackAction;
  readonly at: EpochMs;
}

/** Feedback on live memories, all methods together or one of them. */
export interface FeedbackCounts {
  readonly selected: number;
  readonly notSelected: number;
  /** Mean position of the selected results that have one; absent without any. */
  readonly meanSelectedPosition?: number;
}

export interface FeedbackSummary extends FeedbackCounts {
  /** Methods that feedback named, by name. */
  readonly byMethod: readonly (FeedbackCounts & { readonly searchMethod: string })[];
}
