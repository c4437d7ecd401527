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

/** Filter for the memories of the feedback. */
export interface FeedbackFilter {
  readonly createdFrom?: EpochMs;
  readonly createdTo?: EpochMs;
  readonly topicId?: string;
}

export interface FeedbackTally {
  readonly searchMethod: string | null;
  readonly action: FeedbackAction;
  readonly count: number;
  /** Number of entries with a position, and the sum of the positions. */
  readonly placed: number;
  readonly positions: number;
}

export interface FeedbackReader {
  /** Counts of feedback on live memories, by method and action, sorted by name. */
  tally(filter: FeedbackFilter): Promise<FeedbackTally[]>;
  /** Entries with a greater number, in order: at most the `feedbackKeptMax` stored ones. */
  after(number: number): Promise<FeedbackEntry[]>;
}

export interface FeedbackWriter extends FeedbackReader {
  /** Keeps the newest `feedbackKeptMax`. */
  add(feedback: Feedback, at: EpochMs): Promise<void>;
}
