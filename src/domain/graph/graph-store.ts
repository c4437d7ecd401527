/** Topics of one memory. */
export interface TopicsOfMemory {
  /** `seq` of the memory. */
  readonly memory: number;
  /** By id, each once. */
  readonly topics: readonly string[];
}

export interface TopicsOfMemories {
  /** The newest memory first. */
  readonly memories: readonly TopicsOfMemory[];
  /** What the next page continues from; undefined at the end. */
  readonly before: number | undefined;
}

/** Reads of one user's derived graph, as it is now: of live memories and what they say. */
export interface GraphReader {
  /**
   * Topics of the next `memoriesMax` memories written before `before`, those that have none left out: given by clients and
   * derived, each as what it means after merges.
   */
  topicsOfMemories(before: number, memoriesMax: number): Promise<TopicsOfMemories>;
}
