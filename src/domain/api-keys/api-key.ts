import type { EpochMs } from '../shared/time.ts';

export const keyScopes = ['read', 'write', 'admin'] as const;
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
}

export const keyLabelLengthMax = 200;
