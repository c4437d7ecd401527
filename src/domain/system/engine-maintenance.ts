/** Work in small steps for the time when nothing is written. */
export interface IdleWork {
  /** Rises with every write that is not this work's own. */
  writes(): number;
  /** One short step. @returns whether another is worth it */
  step(): Promise<boolean>;
}

export interface Slice {
  /** Whether another slice can follow at once. */
  readonly more: boolean;
  /** Milliseconds of it that kept requests waiting; not those in which it waited for others. */
  readonly workedMs: number;
}

/** Work that goes on in short slices between the requests. */
export interface SlicedWork {
  slice(signal: AbortSignal): Promise<Slice>;
  /** Resolves when there may be more to do, after `ms`, or when `signal` aborts; absent where only time tells. */
  next?(ms: number, signal: AbortSignal): Promise<void>;
}

/** What a store asks of the process that serves it; absent where it needs none. */
export interface EngineMaintenance {
  /** Writes the keyword index again after the analyser changed. */
  readonly rebuildIndex: SlicedWork;
  /** Changes the vector space when another model is configured. */
  readonly changeSpaces: SlicedWork;
  /** Gives vectors that have none the sums by which a changed one is seen. */
  readonly vectorSums: SlicedWork;
  /** Joins the segments of the keyword index. */
  readonly mergeSegments?: IdleWork;
  /** Counts what statements are planned by, as the tables grow. */
  readonly updateStatistics?: SlicedWork;
  /** Makes and drops the HNSW indexes that the vector spaces call for. */
  readonly updateHnswIndexes?: () => Promise<void>;
  /** Takes text that was erased out of what the database keeps of deleted rows. */
  readonly vacuumErased?: () => Promise<void>;
}
