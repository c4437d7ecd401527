import { type GraphTaskName, type GraphTasks, runGraphTask } from '../domain/graph/graph-tasks.ts';
import { comeAfterRequests } from '../lib/throttle.ts';

comeAfterRequests();

export interface GraphRequest<N extends GraphTaskName = GraphTaskName> {
  readonly name: N;
  readonly task: GraphTasks[N]['task'];
}

/** Runs one task in the graph thread. */
export default function work<N extends GraphTaskName>({
  name,
  task,
}: GraphRequest<N>): GraphTasks[N]['result'] {
  return runGraphTask(name, task);
}
