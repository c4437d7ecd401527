import type { StoreTotals } from '../users/user-store.ts';

/** How far the keyword index is with the words of this program's own analyser. */
export interface RebuildStatus {
  /** `retrying`: the last step in this process failed and is tried again. */
  readonly state: 'idle' | 'running' | 'retrying';
  /** Records written again, and records still to be written again; both 0 when idle. */
  readonly done: number;
  readonly total: number;
}

/** Figures of the store for monitoring. */
export interface StoreProbe {
  readonly engine: string;
  /** The vector index in use. */
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

/** Sizes of the search indexes in the memory of the process. */
export interface IndexProbe {
  readonly users: number;
  readonly bytes: number;
}
