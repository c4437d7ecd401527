import type { EpochMs } from './time.ts';
import type { UserRef } from './user-ref.ts';

/** An answer that is given again to whoever repeats the request with the same key. */
export interface StoredAnswer {
  /** Hash of method, path and body. */
  readonly fingerprint: string;
  readonly status: number;
  readonly body: string;
  readonly createdAt: EpochMs;
}

/** Answers of one user, written in the transaction of what they answer. */
export interface AnswerWriter {
  /** The first answer under a key stays. @returns whether this is the first */
  save(key: string, answer: StoredAnswer): Promise<boolean>;
}

export interface IdempotencyStore {
  find(user: UserRef, key: string): Promise<StoredAnswer | undefined>;
  /** Forgets answers given before `time`, of all users. */
  prune(time: EpochMs): Promise<void>;
}
