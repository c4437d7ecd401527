export const feedbackActions = ['selected', 'not_selected'] as const;
export type FeedbackAction = (typeof feedbackActions)[number];

/** Of one user; older ones go when more come. */
export const feedbackKeptMax = 10_000;

/** Characters kept of the query that was asked. */
export const feedbackQueryMax = 1_000;

/** What a person did with a memory that a search had found. */
export interface Feedback {
  readonly memoryId: string;
  readonly action: FeedbackAction;
  readonly query: string | null;
  /** As the client names it. */
  readonly searchMethod: string | null;
  readonly searchSessionId: string | null;
  /** Place in the list of results, as the client counts. */
  readonly position: number | null;
}

/** Feedback on live memories, all methods together or one of them. */
export interface FeedbackCounts {
  readonly selected: number;
  readonly notSelected: number;
  /** Mean over the selected results whose place was told; absent without any. */
  readonly meanSelectedPosition?: number;
}

export interface FeedbackSummary extends FeedbackCounts {
  /** Methods that feedback named, by name. */
  readonly byMethod: readonly (FeedbackCounts & { readonly searchMethod: string })[];
}
