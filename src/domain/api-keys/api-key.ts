import type { EpochMs } from '../shared/time.ts';

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
