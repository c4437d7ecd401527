import type { EpochMs } from '../shared/time.ts';

/** Kinds of records of the authorization server, as `oidc-provider` names them. */
export type OAuthModel = string;

/** A record of the authorization server. Ids are SHA-256 hashes (hex): tokens and codes themselves are not stored. */
export interface OAuthRecord {
  readonly model: OAuthModel;
  readonly id: string;
  /** JSON without the id. */
  readonly payload: string;
  /** Hash of the id of the grant that it belongs to. */
  readonly grantId: string | null;
  /** The API key that a person gave; the record ends with it. */
  readonly keyId: string | null;
  readonly createdAt: EpochMs;
  readonly expiresAt: EpochMs;
  readonly consumedAt: EpochMs | null;
}

/** How many records of a model stay: of all, of one grant, of one key or of those that expire by a time. */
export interface RecordBound {
  readonly model: OAuthModel;
  readonly of?: { readonly column: 'grantId' | 'keyId'; readonly value: string };
  readonly expiringBy?: EpochMs;
  readonly max: number;
}

/** Records of all users: most are read before the user is known, by an id that only its owner knows. */
export interface OAuthStore {
  /** Undefined if it has expired. */
  find(model: OAuthModel, id: string, at: EpochMs): Promise<OAuthRecord | undefined>;
  /** Adds or replaces it, then removes those beyond each bound, first those that expire first, at most 100 a bound. */
  save(record: OAuthRecord, bounds: readonly RecordBound[]): Promise<void>;
  /** @returns false if it was consumed before, or is gone: of two at once, one gets true */
  consume(model: OAuthModel, id: string, at: EpochMs): Promise<boolean>;
  /** Keeps a record at least until then. */
  extend(model: OAuthModel, id: string, until: EpochMs): Promise<void>;
  remove(model: OAuthModel, id: string): Promise<void>;
  /** Removes the codes and tokens of a grant. */
  removeOfGrant(grantId: string): Promise<void>;
  /** Grants given with keys of the user that are not revoked, the newest first, at most 1,000. */
  listGrants(userId: number, at: EpochMs): Promise<OAuthRecord[]>;
  /** Removes a grant of the user with its codes and tokens. @returns false if the user has no such grant */
  endGrant(userId: number, id: string): Promise<boolean>;
  /** Removes expired records, 1,000 a transaction. */
  prune(at: EpochMs): Promise<void>;
}
