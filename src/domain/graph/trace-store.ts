import { DAY_MS, type EpochMs } from '../shared/time.ts';

/** Maximum age of traces, and maximum number per user. */
export const traceLifetimeMs = 7 * DAY_MS;
export const tracesPerUserMax = 1000;

/** The record of a graph query, as stored. */
export interface StoredTrace {
  readonly id: string;
  readonly createdAt: EpochMs;
  /** JSON with ids, numbers and the text of the query; no text of memories. */
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
  /**
   * Removes traces written before `time`, and those of each user beyond
   * the newest `perUserMax`. @returns the number of removed traces
   */
  prune(time: EpochMs, perUserMax: number): Promise<number>;
}
