/** Work in small steps while nothing is written. */
export interface IdleWork {
  /** Increases with every write that is not this work's own. */
  writes(): number;
  /** Does one short step. @returns whether to do another */
  step(): Promise<boolean>;
}

export interface Slice {
  /** Whether another slice can follow at once. */
  readonly more: boolean;
  /** Milliseconds during which it delayed requests, without the time it waited itself. */
  readonly workedMs: number;
}

/** Work in short slices between requests. */
export interface SlicedWork {
  slice(signal: AbortSignal): Promise<Slice>;
  /**
   * Resolves when there may be more to do, after `ms`, or
   * when `signal` aborts; undefined if only a timer can tell.
   */
  next?(ms: number, signal: AbortSignal): Promise<void>;
}

/** Maintenance that an engine requests from the serving process; undefined for none. */
export interface EngineMaintenance {
  /** Rewrites the keyword index after the analyser changed. */
  readonly rebuildIndex: SlicedWork;
  /** Changes the vector space after another model was configured. */
  readonly changeSpaces: SlicedWork;
  /** Recomputes damaged vectors, and adds missing checksums. */
  readonly vectorSums: SlicedWork;
  /** Merges the segments of the keyword index. */
  readonly mergeSegments?: IdleWork;
  /** Updates the planner's statistics as tables grow. */
  readonly updateStatistics?: SlicedWork;
  /**
   * Resolves when this process is the one that does what concerns the whole
   * store, or when `signal` aborts; absent if no other process can.
   */
  readonly leading?: (signal: AbortSignal) => Promise<void>;
  /** Removes erased text from the database's remains of deleted rows. */
  readonly vacuumErased?: () => Promise<void>;
}
