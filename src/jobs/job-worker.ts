import type { BackgroundTask, FailureReporter } from '../lib/failure-log.ts';
import { rest } from '../lib/throttle.ts';

/** A job that failed runs again after a minute, or earlier where it runs more often anyway. */
const retryMsMax = 60_000;

/** Work that a serving process does now and then, beginning with its start. */
export interface PeriodicJob {
  readonly name: BackgroundTask;
  /** Milliseconds from the end of a run to the next. */
  readonly everyMs: number;
  /** The next run comes no earlier than this many times as long as the run took; 0 by default. */
  readonly restsPerRun?: number;
  /** One run, which ends early when `signal` aborts. What it throws is logged, counted, and tried again. */
  run(signal: AbortSignal): Promise<unknown>;
}

export interface JobWorkerDeps {
  readonly periodic: readonly PeriodicJob[];
  readonly failures: FailureReporter;
}

/** Does everything that no request waits for, from `start` to `stop`; one for a process. */
export class JobWorker {
  readonly #deps: JobWorkerDeps;
  readonly #stopping = new AbortController();
  #running: readonly Promise<void>[] | undefined;

  constructor(deps: JobWorkerDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#running ??= this.#deps.periodic.map((job) => this.#repeat(job));
  }

  /** Resolves when nothing runs any more. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running ?? []);
  }

  async #repeat(job: PeriodicJob): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const began = performance.now();
      const isDone = await this.#run(job);
      const pauseMs = isDone ? job.everyMs : Math.min(job.everyMs, retryMsMax);
      const restMs = (job.restsPerRun ?? 0) * (performance.now() - began);
      await rest(Math.max(pauseMs, restMs), signal);
    }
  }

  async #run({ name, run }: PeriodicJob): Promise<boolean> {
    try {
      await run(this.#stopping.signal);
      return true;
    } catch (error) {
      this.#deps.failures.failed(name, error);
      return false;
    }
  }
}
