import { DAY_MS, type EpochMs } from '../shared/time.ts';

/** Traces are kept so long, and so many of each user. */
export const traceLifetimeMs = 7 * DAY_MS;
export const tracesPerUserMax = 1000;

/** What a query of the graph did, as stored. */
export interface StoredTrace {
  readonly id: string;
  readonly createdAt: EpochMs;
  /** JSON with ids and numbers, and the text of the query; no text of a memory. */
  readonly trace: string;
}

export interface TraceReader {
  find(id: string): Promise<StoredTrace | undefined>;
}

export interface TraceWriter extends TraceReader {
  insert(trace: StoredTrace): Promise<void>;
}

/** The traces of all users. */
export interface TraceStore {
  /** Removes those written before `time`, and of each user those beyond the newest `perUserMax`. @returns how many */
  prune(time: EpochMs, perUserMax: number): Promise<number>;
}
