/** What monitoring asks of the store. */
export interface StoreProbe {
  readonly engine: string;
  /** Fails when the store cannot be read. */
  ping(): Promise<void>;
  sizeBytes(): Promise<number>;
  /** Writes waiting to be committed. */
  queueDepth(): number;
}

/** What the process holds of the search indexes. */
export interface IndexProbe {
  readonly users: number;
  readonly bytes: number;
}
