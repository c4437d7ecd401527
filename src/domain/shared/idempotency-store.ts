import { type EpochMs, HOUR_MS } from './time.ts';
import type { UserRef } from './user-ref.ts';

/** How long a request with an `Idempotency-Key` is not done again. */
export const idempotencyLifetimeMs = 24 * HOUR_MS;

/** A response that is given again if the request is repeated with the same key. */
export interface StoredResponse {
  /** Hash of method, path and body. */
  readonly fingerprint: string;
  /** `unfinished` while a change of several transactions is under way: `body` then says how to carry on. */
  readonly status: number;
  readonly body: string;
  readonly etag: string | null;
  readonly createdAt: EpochMs;
}

export const unfinished = 0;

/** Responses of one user, written in the transaction of what they respond to. */
export interface ResponseWriter {
  find(key: string): Promise<StoredResponse | undefined>;
  /** The first response under a key stays; it takes the place of an unfinished one. @returns what is stored */
  save(key: string, response: StoredResponse): Promise<StoredResponse>;
  remove(key: string): Promise<void>;
  /**
   * Erases responses that contain the id of a record, among 500 after the key `after`.
   * @returns the last key looked at; undefined at the end
   */
  eraseWith(recordId: string, after: string): Promise<string | undefined>;
}

export interface IdempotencyStore {
  find(user: UserRef, key: string): Promise<StoredResponse | undefined>;
  /** Forgets responses given before `time`, of all users. */
  prune(time: EpochMs): Promise<void>;
}
