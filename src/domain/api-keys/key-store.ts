import type { EpochMs } from '../shared/time.ts';
import type { UserRef } from '../shared/user-ref.ts';
import type { ApiKey } from './api-key.ts';

/** A key as kept: the secret only as a hash (SHA-256, hex), and when it was revoked. */
export interface StoredKey extends ApiKey {
  readonly secretHash: string;
  readonly revokedAt: EpochMs | null;
}

export interface KeyWithOwner {
  readonly key: StoredKey;
  readonly owner: UserRef;
}

/** Keys of one user, in that user's transaction: a user who is being removed gets none. */
export interface KeyWriter {
  /** The first key of this label that is neither revoked nor expired at the time. */
  findLabelled(label: string, at: EpochMs): Promise<ApiKey | undefined>;
  insert(key: Omit<StoredKey, 'userId'>): Promise<void>;
}

/** API keys of all users: looked up by prefix before anyone is known, everything else by owner. */
export interface KeyStore {
  findByPrefix(prefix: string): Promise<KeyWithOwner | undefined>;
  /** The prefixes among these (at most 500) that belong to a key, in no fixed order. */
  knownPrefixes(prefixes: readonly string[]): Promise<string[]>;
  /** Keys not revoked, newest first. */
  listOf(userId: number): Promise<ApiKey[]>;
  /** Answers false when the user has no such key. */
  revoke(userId: number, id: string, at: EpochMs): Promise<boolean>;
  /** Notes when keys were last used; `uses` maps key ids to times. */
  touch(uses: ReadonlyMap<string, EpochMs>): Promise<void>;
}
