import type { TransferListItem } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { OneAtATime } from './async.ts';

/** A task took too long, and its thread was ended with it. */
export class TaskDeadline extends Error {
  readonly code = 'TASK_DEADLINE';

  constructor(ms: number) {
    super(`The work was ended after ${ms / 1000} s.`);
  }
}

export interface OneThreadOptions {
  /** The module that the thread runs; its exports are the tasks. */
  readonly file: URL;
  /** After this long without a task the thread ends, which frees its memory. */
  readonly idleMs: number;
  /** For each task, from its start. */
  readonly deadlineMs: number;
  /** Maximum of the heap of the thread, in MB. Without it garbage grows to several times the live objects. */
  readonly heapMb?: number;
}

/**
 * One thread, started by the first task, and again after a task
 * that took too long. Tasks run one after another.
 */
export class OneThread {
  readonly #options: OneThreadOptions;
  readonly #turn = new OneAtATime<'task'>();
  #pool: Piscina | undefined;
  #waiting = 0;
  #isClosed = false;

  constructor(options: OneThreadOptions) {
    this.#options = options;
  }

  /** Number of tasks that are waiting or running. */
  get waiting(): number {
    return this.#waiting;
  }

  /** @throws TaskDeadline */
  async run<R>(
    task: unknown,
    { name = 'default', transferList }: { name?: string; transferList?: TransferListItem[] } = {},
  ): Promise<R> {
    this.#waiting++;
    try {
      return await this.#turn.run('task', () => this.#runNow<R>(task, { name, transferList }));
    } finally {
      this.#waiting--;
    }
  }

  /** Ends the thread and the task that it runs. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pool?.destroy();
    this.#pool = undefined;
  }

  async #runNow<R>(task: unknown, options: { name: string; transferList?: TransferListItem[] }): Promise<R> {
    if (this.#isClosed) throw new Error('The thread was ended.');
    const { file, idleMs, deadlineMs, heapMb } = this.#options;
    this.#pool ??= new Piscina({
      filename: file.href,
      ...(file.href.endsWith('.ts') && { execArgv: ['--import', 'tsx'] }),
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: idleMs,
      ...(heapMb && { resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 8 } }),
    });
    const signal = AbortSignal.timeout(deadlineMs);
    try {
      return (await this.#pool.run(task, { ...options, signal })) as R;
    } catch (error) {
      throw signal.aborted ? new TaskDeadline(deadlineMs) : error;
    }
  }
}
