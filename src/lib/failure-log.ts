/**
 * Tasks that no request waits for, as in the label `task` of
 * `/metrics`: their failures are logged and counted.
 */
export const backgroundTasks = [
  'analyzer_rebuild',
  'change_notices',
  'conversation_move',
  'database_connection',
  'digest_headings',
  'digest_prose',
  'idempotency_prune',
  'index_segments',
  'jobs',
  'key_use',
  'known_names',
  'memory_vectors',
  'oauth',
  'oauth_expiry',
  'process',
  'rules_judged',
  'segment_merge',
  'similar_memories',
  'statistics',
  'serve_lock',
  'space_build',
  'store_probe',
  'topic_merge',
  'trace_expiry',
  'trash_expiry',
  'user_removal',
  'vacuum',
  'warm_up',
  'webhooks',
] as const;

/** Steps of jobs are named by themselves. */
export type BackgroundTask = (typeof backgroundTasks)[number] | `step ${string}`;

/** Receives the failures of background work: a `catch` that continues calls it. Never throws. */
export interface FailureReporter {
  failed(task: BackgroundTask, error: unknown): void;
}

/** A failure to log. */
export interface FailureLine {
  readonly task: BackgroundTask;
  readonly error: unknown;
  /** Failures of the task since its last line, this one included. */
  readonly times: number;
}

interface FailureCount {
  readonly task: BackgroundTask;
  /** Since the start of the process. */
  readonly failures: number;
  /** Epoch milliseconds. */
  readonly lastFailedAt: number;
}

/**
 * A task that keeps failing gets one line a minute: one that is retried every half second would fill the log.
 */
const lineEveryMs = 60_000;
/** Maximum lines kept until `watch` is called. */
const waitingMax = 100;

interface Seen {
  failures: number;
  lastFailedAt: number;
  loggedAt: number;
  loggedFailures: number;
  kind: string;
}

/** Counts the failures of background work, and passes them to the log once one is attached. */
export class FailureLog implements FailureReporter {
  readonly #now: () => number;
  readonly #seen = new Map<BackgroundTask, Seen>();
  #waiting: FailureLine[] = [];
  #write: ((line: FailureLine) => void) | undefined;

  /** @param now epoch milliseconds */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  failed(task: BackgroundTask, error: unknown): void {
    const at = this.#now();
    const before = this.#seen.get(task);
    const seen = before ?? { failures: 0, lastFailedAt: at, loggedAt: at, loggedFailures: 0, kind: '' };
    this.#seen.set(task, seen);
    seen.failures++;
    seen.lastFailedAt = at;
    const kind = kindOf(error);
    if (before && kind === seen.kind && at - seen.loggedAt < lineEveryMs) return;
    const times = seen.failures - seen.loggedFailures;
    Object.assign(seen, { loggedAt: at, loggedFailures: seen.failures, kind });
    this.#log({ task, error, times });
  }

  /** Calls `write` with the lines so far, at most 100, and then with each new line. */
  watch(write: (line: FailureLine) => void): void {
    this.#write = write;
    for (const line of this.#waiting.splice(0)) write(line);
  }

  /** Counts of tasks that failed at least once, by name. */
  get counts(): FailureCount[] {
    const counts = [...this.#seen].map(([task, { failures, lastFailedAt }]) => ({
      task,
      failures,
      lastFailedAt,
    }));
    return counts.sort((a, b) => (a.task < b.task ? -1 : 1));
  }

  #log(line: FailureLine): void {
    if (this.#write) this.#write(line);
    else if (this.#waiting.length < waitingMax) this.#waiting.push(line);
  }
}

/** The first cause of an error. */
export function rootOf(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? rootOf(error.cause) : error;
}

/** The code of an error's first cause, or its class. Not its message, which may contain stored text. */
export function rootCodeOf(error: unknown): string {
  const root = rootOf(error);
  return root instanceof Error ? ((root as Error & { code?: string }).code ?? root.name) : typeof root;
}

/** Name and code of a failure's first cause: equal for repeated failures, whose messages may differ. */
function kindOf(error: unknown): string {
  const root = rootOf(error);
  if (!(root instanceof Error)) return typeof root;
  return `${root.name} ${(root as Error & { code?: string }).code ?? ''}`;
}
