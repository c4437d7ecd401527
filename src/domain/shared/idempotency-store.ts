import { type EpochMs, HOUR_MS } from './time.ts';
import type { UserRef } from './user-ref.ts';

/** Time during which a request with the same `Idempotency-Key` is not executed again. */
export const idempotencyLifetimeMs = 24 * HOUR_MS;

/** A response that is repeated if the request is repeated with the same key. */
export interface StoredResponse {
  /** Hash of method, path and body. */
  readonly fingerprint: string;
  /**
   * `unfinished` while a change of several transactions is
   * running: `body` then contains the data to continue it.
   */
  readonly status: number;
  readonly body: string;
  readonly etag: string | null;
  readonly createdAt: EpochMs;
}

export const unfinished = 0;

/** Responses of one user, written in the transaction of the change they report. */
export interface ResponseWriter {
  find(key: string): Promise<StoredResponse | undefined>;
  /**
   * Stores the response under a key. The first one stays,
   * but replaces an unfinished one. @returns the stored one
   */
  save(key: string, response: StoredResponse): Promise<StoredResponse>;
  remove(key: string): Promise<void>;
  /**
   * Erases responses that contain the id of a record, among 500 after the key `after`.
   * @returns the last key read; undefined at the end
   */
  eraseWith(recordId: string, after: string): Promise<string | undefined>;
}

export interface IdempotencyStore {
  find(user: UserRef, key: string): Promise<StoredResponse | undefined>;
  /** Deletes responses of all users from before `time`. */
  prune(time: EpochMs): Promise<void>;
}
