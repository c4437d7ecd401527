import type { EpochMs } from '../shared/time.ts';
import type { Feedback, FeedbackAction, FeedbackEntry } from './feedback.ts';

/** Which memories the feedback must be on. */
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
  /** Numbers of feedback on live memories by method and action, by name. */
  tally(filter: FeedbackFilter): Promise<FeedbackTally[]>;
  /** Entries of a higher number, by number: at most the `feedbackKeptMax` that are kept. */
  after(number: number): Promise<FeedbackEntry[]>;
}

export interface FeedbackWriter extends FeedbackReader {
  /** Keeps the newest `feedbackKeptMax`. */
  add(feedback: Feedback, at: EpochMs): Promise<void>;
}
