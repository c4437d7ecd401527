import type { EpochMs } from '../shared/time.ts';

export const feedbackActions = ['selected', 'not_selected'] as const;
export type FeedbackAction = (typeof feedbackActions)[number];

/** Maximum entries of one user; the oldest are deleted beyond it. */
export const feedbackKeptMax = 10_000;

/** Maximum UTF-16 units stored of a query. */
export const feedbackQueryMax = 1_000;
export const searchMethodLengthMax = 50;
export const searchSessionIdLengthMax = 200;

/** A user's action on a memory that a search had found. */
export interface Feedback {
  readonly memoryId: string;
  readonly action: FeedbackAction;
  readonly query: string | null;
  /** Search method and session, as named by the client. */
  readonly searchMethod: string | null;
  readonly searchSessionId: string | null;
  /** Rank in the list of results, as the client counts. */
  readonly position: number | null;
}

/** Feedback as stored, for ranking. */
export interface FeedbackEntry {
  /** Number in the order of writing, per user. */
  readonly number: number;
  /** `seq` of the memory. */
  readonly seq: number;
  readonly action: FeedbackAction;
  readonly at: EpochMs;
}

/** Counts of feedback on live memories, for all search methods or one. */
export interface FeedbackCounts {
  readonly selected: number;
  readonly notSelected: number;
  /** Mean position of the selected results that have one; absent without any. */
  readonly meanSelectedPosition?: number;
}

export interface FeedbackSummary extends FeedbackCounts {
  /** Counts by search method, sorted by name; feedback without a method is left out. */
  readonly byMethod: readonly (FeedbackCounts & { readonly searchMethod: string })[];
}
