/** The newest versions: their number, and the doc before the first of them. */
export interface RecentVersions {
  readonly after: number;
  readonly count: number;
}

export interface UserOutline {
  readonly names: {
    /** Changes whenever the known names change. */
    readonly mark: string;
    readonly count: number;
  };
  readonly recent: RecentVersions;
  /** Whether a client gave any memory a topic. */
  readonly hasTopics: boolean;
}
