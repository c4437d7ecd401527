/** UTF-16 units of a message, a diff and a transcript, each; longer ones are refused. */
export const commitTextLengthMax = 1_000_000;

/** A commit as a hook of git reports it. */
export interface GitCommit {
  readonly sha: string;
  readonly shortSha?: string;
  readonly branch?: string;
  readonly message: string;
  readonly author?: string;
  readonly filesChanged: readonly string[];
  readonly insertions?: number;
  readonly deletions?: number;
  readonly isMergeCommit?: boolean;
}

/** The work of an agent that led to the commit. */
export interface AgentSession {
  readonly agent?: string;
  readonly model?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly count: number }[];
  readonly totalToolCalls?: number;
  /** The prompts of the session. */
  readonly recentPrompts?: readonly string[];
  readonly errors?: readonly string[];
}

export interface CommitReport {
  readonly git: GitCommit;
  readonly session?: AgentSession;
  readonly diff?: string;
  /** Text, or a line of JSON for each message. */
  readonly transcript?: string;
}

export interface CommitSummary {
  readonly content: string;
  /** At most 200 UTF-16 units. */
  readonly context: string;
  readonly topics: readonly string[];
  /** The reason why the commit has nothing to remember, in a sentence. */
  readonly skipReason: string | undefined;
}
