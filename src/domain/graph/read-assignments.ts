import { Breather } from '../../lib/breather.ts';
import { throttled } from '../../lib/throttle.ts';
import type { GraphReader, TopicsOfMemory } from './graph-store.ts';
import type { TopicAssignments } from './topic-graph.ts';

export interface NamedAssignments {
  /** Ids of the topics that the assignments number. */
  readonly topicIds: readonly string[];
  readonly assignments: TopicAssignments;
  /** False where older memories were left out. */
  readonly isWhole: boolean;
}

/** One or two ms of reading; then as long a rest, so that requests go between. */
const memoriesAtOnce = 200;
export const assignmentsMax = 1_000_000;

/** Which topics are on which memories of a user: at most `rowsMax` rows, the newest memories first. */
export async function readAssignments(
  graph: GraphReader,
  rowsMax = assignmentsMax,
): Promise<NamedAssignments> {
  const memories: TopicsOfMemory[] = [];
  let rows = 0;
  let before: number | undefined = Number.MAX_SAFE_INTEGER;
  while (before !== undefined && rows < rowsMax) {
    const from: number = before;
    const page = await throttled(() => graph.topicsOfMemories(from, memoriesAtOnce));
    for (const memory of page.memories) rows += memory.topics.length;
    memories.push(...page.memories);
    before = page.before;
  }
  return { ...(await numbered(memories, rows)), isWhole: before === undefined };
}

/** Topics are numbered in the order of their ids, so that a memory more leaves the order of the others as it was. */
async function numbered(memories: readonly TopicsOfMemory[], rows: number) {
  const breather = new Breather();
  const ids = new Set<string>();
  for (const { topics } of memories) {
    for (const id of topics) ids.add(id);
    const pause = breather.pause();
    if (pause) await pause;
  }
  const topicIds = [...ids].sort();
  const numberOf = new Map(topicIds.map((id, number) => [id, number]));
  const topics = new Uint32Array(rows);
  const memoryOf = new Uint32Array(rows);
  let row = 0;
  for (const [number, memory] of memories.entries()) {
    for (const id of memory.topics) {
      topics[row] = numberOf.get(id) ?? 0;
      memoryOf[row++] = number;
    }
    const pause = breather.pause();
    if (pause) await pause;
  }
  return { topicIds, assignments: { topicCount: topicIds.length, topics, memories: memoryOf } };
}
