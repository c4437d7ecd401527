import type { EpochMs } from '../shared/time.ts';
import type { UserRef } from '../shared/user-ref.ts';

/** Scopes that apply to the key's own user. */
export const ownScopes = ['read', 'write', 'admin'] as const;
/** All scopes; `operator` extends to the users and keys of the whole store. */
export const keyScopes = [...ownScopes, 'operator'] as const;
export type KeyScope = (typeof keyScopes)[number];

export interface ApiKey {
  readonly id: string;
  readonly userId: number;
  /** Public part, everything before the first dot of the key. */
  readonly prefix: string;
  readonly label: string;
  readonly scopes: readonly KeyScope[];
  readonly createdAt: EpochMs;
  readonly expiresAt: EpochMs | null;
  readonly lastUsedAt: EpochMs | null;
  /** Each process counts by itself; null: no limit. */
  readonly requestsPerMinute: number | null;
}

export const keyLabelLengthMax = 200;
export const requestsPerMinuteMax = 100_000;

/** A key as stored: the SHA-256 hash (hex) of its secret, and the time of its revocation. */
export interface StoredKey extends ApiKey {
  readonly secretHash: string;
  readonly revokedAt: EpochMs | null;
}

export interface KeyWithOwner {
  readonly key: StoredKey;
  readonly owner: UserRef;
}

/** Writes one user's keys within that user's transaction, so a user who is being removed gets no new key. */
export interface KeyWriter {
  /** The first key with this label that is neither revoked nor expired at this time. */
  findLabelled(label: string, at: EpochMs): Promise<ApiKey | undefined>;
  insert(key: Omit<StoredKey, 'userId'>): Promise<void>;
}

/** API keys of all users. `findByPrefix` works before the user is known; the rest works by owner. */
export interface KeyStore {
  findByPrefix(prefix: string): Promise<KeyWithOwner | undefined>;
  findById(id: string): Promise<KeyWithOwner | undefined>;
  /** The prefixes, of at most 500, that belong to a key; in no fixed order. */
  knownPrefixes(prefixes: readonly string[]): Promise<string[]>;
  /** Keys that are not revoked, newest first. */
  listOf(userId: number): Promise<ApiKey[]>;
  /** @returns false if the user has no such key */
  revoke(userId: number, id: string, at: EpochMs): Promise<boolean>;
  /** Stores the last uses of keys; `uses` maps key ids to times. */
  touch(uses: ReadonlyMap<string, EpochMs>): Promise<void>;
}
