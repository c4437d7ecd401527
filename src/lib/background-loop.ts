import type { BackgroundTask, FailureReporter } from './failure-log.ts';

/** Background work, from `start` to `stop`, of which there is one for each object. */
export abstract class BackgroundLoop {
  readonly #task: BackgroundTask;
  readonly #failures: FailureReporter;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(task: BackgroundTask, failures: FailureReporter) {
    this.#task = task;
    this.#failures = failures;
  }

  start(): void {
    this.#running ??= this.run(this.signal).catch((error: unknown) => this.failed(error));
  }

  /** Resolves when nothing runs any more; what was begun is taken up at the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Aborts when the work is to end. */
  protected get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Has a failure logged and counted; the work goes on, or tries again, as `run` sees fit. */
  protected failed(error: unknown): void {
    this.#failures.failed(this.#task, error);
  }

  /** Does the work until `signal` aborts; does not fail, and reports to `failed` what it survives. */
  protected abstract run(signal: AbortSignal): Promise<void>;
}
