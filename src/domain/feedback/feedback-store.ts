import type { EpochMs } from '../shared/time.ts';
import type { Feedback, FeedbackAction, FeedbackEntry } from './feedback.ts';

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
