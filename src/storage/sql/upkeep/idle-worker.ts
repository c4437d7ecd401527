import { BackgroundLoop } from '../../../lib/background-loop.ts';
import type { BackgroundTask, FailureReporter } from '../../../lib/failure-log.ts';
import { rest } from '../../../lib/pace.ts';

export interface IdleWork {
  /** Rises with every write that is not this work's own. */
  writes(): number;
  /** One short step; tells whether another is worth it. */
  step(): Promise<boolean>;
}

export interface IdleOptions {
  /** What the work is called where its failures are counted. */
  readonly task: BackgroundTask;
  readonly failures: FailureReporter;
  /** Time without a write after which the work begins. */
  readonly idleMs: number;
  /** Steps in a row at most. */
  readonly stepsMax: number;
}

/** Does work in small steps when nothing is being written, once after each burst of writes. */
export class IdleWorker extends BackgroundLoop {
  readonly #work: IdleWork;
  readonly #options: IdleOptions;

  constructor(work: IdleWork, options: IdleOptions) {
    super(options.task, options.failures);
    this.#work = work;
    this.#options = options;
  }

  protected async run(signal: AbortSignal): Promise<void> {
    let settled: number | undefined;
    while (!signal.aborted) {
      const seen = this.#work.writes();
      await rest(this.#options.idleMs, signal);
      if (signal.aborted) return;
      if (this.#work.writes() === seen && seen !== settled && (await this.#workThrough(seen))) settled = seen;
    }
  }

  /** @returns whether it came to its end undisturbed; a failing step is tried again after the next pause */
  async #workThrough(seen: number): Promise<boolean> {
    const { signal } = this;
    try {
      for (let steps = 0; steps < this.#options.stepsMax; steps++) {
        const began = performance.now();
        if (!(await this.#work.step())) return true;
        await rest(performance.now() - began, signal);
        if (signal.aborted || this.#work.writes() !== seen) return false;
      }
      return true;
    } catch (error) {
      this.failed(error);
      return false;
    }
  }
}
