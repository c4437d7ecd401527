import type { GraphTaskName, GraphTasks, GraphWorker } from '../domain/graph/graph-tasks.ts';
import { AppError } from '../domain/shared/errors.ts';
import { waitedFor } from '../lib/loop-time.ts';
import { OneThread, TaskDeadline } from '../lib/one-thread.ts';
import type { GraphRequest } from './graph-entry.ts';

/** After this long without work the thread ends, which frees its memory. */
const idleMs = 30_000;
/** Maximum time of a task. A request waits for each of its tasks, and has a deadline of its own. */
const deadlineMs = 60_000;
/** Maximum waiting tasks; each is of another user. */
const queueMax = 1000;

/** One thread for work over whole graphs, started by the first task. Tasks run one after another. */
export class GraphThread implements GraphWorker {
  // Tests run the TypeScript sources, the service the compiled files.
  readonly #thread = new OneThread({
    file: new URL(import.meta.url.endsWith('.ts') ? './graph-entry.ts' : './graph-entry.js', import.meta.url),
    idleMs,
    deadlineMs,
  });

  async run<N extends GraphTaskName>(name: N, task: GraphTasks[N]['task']): Promise<GraphTasks[N]['result']> {
    if (this.#thread.waiting >= queueMax)
      throw new AppError('OVERLOADED', 'Too many graphs wait to be worked on.', { retryAfter: 5 });
    const request: GraphRequest<N> = { name, task };
    const { topics, memories } = task.assignments;
    const transferList = [topics.buffer, memories.buffer] as ArrayBuffer[];
    try {
      return await waitedFor(this.#thread.run<GraphTasks[N]['result']>(request, { transferList }));
    } catch (error) {
      if (error instanceof TaskDeadline) throw new AppError('DEADLINE_EXCEEDED', error.message);
      throw error;
    }
  }

  /** Ends the thread and the task that it runs. */
  close(): Promise<void> {
    return this.#thread.close();
  }
}
