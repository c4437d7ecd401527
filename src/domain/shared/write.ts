import type { UserWriters } from './stores.ts';
import type { EpochMs } from './time.ts';

/** One change of a user's data: the stores of its transaction, and the time that all it writes carries. */
export interface Write {
  readonly tx: UserWriters;
  readonly at: EpochMs;
}
