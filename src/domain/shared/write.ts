import type { UserWriters } from './stores.ts';
import type { EpochMs } from './time.ts';

/** One change of a user's data: the stores of its transaction, and the time that all it writes carries. */
export interface Write {
  readonly tx: UserWriters;
  readonly at: EpochMs;
}

/** Something to be written in the transaction of a change, once it is known what was done. */
export type Alongside<T> = (write: Write, done: T) => Promise<void>;
