import type { EpochMs } from '../shared/time.ts';

export const extractionStatuses = ['pending', 'running', 'completed', 'failed', 'skipped'] as const;
export const extractionSkipReasons = ['global_disabled', 'content_too_short'] as const;

/** Progress of derivation from a version of a memory. */
export interface Extraction {
  /** `failed`: given up after three tries, until it is released. */
  readonly status: (typeof extractionStatuses)[number];
  /** Set if `status` is `skipped`. */
  readonly skipReason?: (typeof extractionSkipReasons)[number];
  /** Set if `status` is `completed`. */
  readonly completedAt?: EpochMs;
}
