/** Work in small steps for the time when nothing is written. */
export interface IdleWork {
  /** Rises with every write that is not this work's own. */
  writes(): number;
  /** One short step. @returns whether another is worth it */
  step(): Promise<boolean>;
}

/** What a storage engine asks of the process that serves it; absent where it needs none. */
export interface EngineMaintenance {
  /** Joins the segments of the keyword index. */
  readonly mergeSegments?: IdleWork;
  /** Makes and drops the HNSW indexes that the vector spaces call for. */
  readonly updateHnswIndexes?: () => Promise<void>;
  /** Takes text that was erased out of what the database keeps of deleted rows. */
  readonly vacuumErased?: () => Promise<void>;
}
