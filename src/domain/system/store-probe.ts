import type { StoreTotals } from '../users/user-store.ts';

/** How far the keyword index is with the words of this program's own analyser. */
export interface RebuildStatus {
  /** `retrying`: the last step in this process failed and is tried again. */
  readonly state: 'idle' | 'running' | 'retrying';
  /** Records written again, and records still to be written again; both 0 when idle. */
  readonly done: number;
  readonly total: number;
}

/** What monitoring asks of the store. */
export interface StoreProbe {
  readonly engine: string;
  /** What finds the nearest vectors. */
  readonly vectorIndex: 'codes' | 'pgvector';
  /** Fails when the store cannot be read. */
  ping(): Promise<void>;
  sizeBytes(): Promise<number>;
  /** Writes waiting to be committed. */
  queueDepth(): number;
  rebuildStatus(): Promise<RebuildStatus>;
  /** Users and memories of the whole store. */
  totals(): Promise<StoreTotals>;
}

/** What the process holds of the search indexes. */
export interface IndexProbe {
  readonly users: number;
  readonly bytes: number;
}
