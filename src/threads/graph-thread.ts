import { Piscina } from 'piscina';
import type { GraphTaskName, GraphTasks, GraphWorker } from '../domain/graph/graph-tasks.ts';
import { AppError } from '../domain/shared/errors.ts';
import { waitedFor } from '../lib/loop-time.ts';
import type { GraphRequest } from './graph-entry.ts';

/** After this long without work the thread ends, and gives its memory back. */
const idleTimeoutMs = 30_000;
/** Tasks that wait; each is of another user. */
const queueMax = 1000;

/** One thread for work over whole graphs, begun with the first task. Tasks run one after another. */
export class GraphThread implements GraphWorker {
  #pool: Piscina | undefined;

  async run<N extends GraphTaskName>(name: N, task: GraphTasks[N]['task']): Promise<GraphTasks[N]['result']> {
    this.#pool ??= newPool();
    if (this.#pool.queueSize >= queueMax)
      throw new AppError('OVERLOADED', 'Too many graphs wait to be worked on.', { retryAfter: 5 });
    const request: GraphRequest<N> = { name, task };
    const { topics, memories } = task.assignments;
    const transferList = [topics.buffer, memories.buffer] as ArrayBuffer[];
    return waitedFor(this.#pool.run(request, { transferList }));
  }

  /** Ends the thread; what it works at is given up. */
  async close(): Promise<void> {
    await this.#pool?.destroy();
    this.#pool = undefined;
  }
}

function newPool(): Piscina {
  // The sources are run as they are by tests, and as JavaScript by the service.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new Piscina({
    filename: new URL(`./graph-entry.${extension}`, import.meta.url).href,
    ...(extension === 'ts' && { execArgv: ['--import', 'tsx'] }),
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: idleTimeoutMs,
    maxQueue: queueMax + 1,
  });
}
