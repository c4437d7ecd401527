import { type GraphTaskName, type GraphTasks, runGraphTask } from '../domain/graph/graph-tasks.ts';
import { comeAfterRequests } from '../lib/throttle.ts';

comeAfterRequests();

export interface GraphRequest<N extends GraphTaskName = GraphTaskName> {
  readonly name: N;
  readonly task: GraphTasks[N]['task'];
}

/** What the graph thread runs. */
export default function work<N extends GraphTaskName>({
  name,
  task,
}: GraphRequest<N>): GraphTasks[N]['result'] {
  return runGraphTask(name, task);
}
