import type { CommunityAlgorithm } from '../communities/community.ts';
import { clusterNodes } from './cluster-nodes.ts';
import { partition } from './partition.ts';
import { buildTopicGraph, type GraphBounds, type Omitted, type TopicAssignments } from './topic-graph.ts';

/**
 * Tasks over all topics of a user that run on a thread of their own, so their input and output is plain data.
 */
export interface GraphTasks {
  communities: {
    task: { readonly assignments: TopicAssignments; readonly algorithm: CommunityAlgorithm };
    result: { readonly groups: readonly TopicGroup[]; readonly omitted: Omitted };
  };
  clusters: {
    task: { readonly assignments: TopicAssignments; readonly sizeMin: number };
    result: { readonly clusters: readonly TopicCluster[]; readonly omitted: Omitted };
  };
}

export type GraphTaskName = keyof GraphTasks;

/** Runs the tasks. */
export interface GraphWorker {
  run<N extends GraphTaskName>(name: N, task: GraphTasks[N]['task']): Promise<GraphTasks[N]['result']>;
}

/** Topics, by their numbers in the assignments. */
interface TopicGroup {
  /** Strongest first. */
  readonly topics: readonly number[];
  /** Strength of each topic: memories shared with each other topic of the group, summed. */
  readonly strengths: readonly number[];
}

interface TopicCluster {
  /** Most central first. */
  readonly topics: readonly number[];
  /** Number of memories with at least one of its topics. */
  readonly memoryCount: number;
  /** Mean Jaccard index of the pairs, 0 to 1. */
  readonly cohesion: number;
}

export const graphBounds: GraphBounds = { topicsMax: 10_000, edgesMax: 200_000, pairsMax: 5_000_000 };

type Run<N extends GraphTaskName> = (
  task: GraphTasks[N]['task'],
  bounds: GraphBounds,
) => GraphTasks[N]['result'];

/** Communities of at least two topics, largest first. */
const communities: Run<'communities'> = ({ assignments, algorithm }, bounds) => {
  const graph = buildTopicGraph(assignments, bounds);
  const labels = partition(graph, algorithm);
  const within = new Float64Array(graph.nodes.length);
  for (let i = 0; i < graph.from.length; i++) {
    const [a, b] = [graph.from[i] ?? 0, graph.to[i] ?? 0];
    if (labels[a] !== labels[b]) continue;
    for (const node of [a, b]) within[node] = (within[node] ?? 0) + (graph.shared[i] ?? 0);
  }
  const groups = [...membersOf(labels).values()]
    .filter((nodes) => nodes.length >= 2)
    .map((nodes) => nodes.sort((a, b) => (within[b] ?? 0) - (within[a] ?? 0) || a - b))
    .map((nodes) => ({
      topics: nodes.map((node) => graph.nodes[node] ?? 0),
      strengths: nodes.map((node) => within[node] ?? 0),
    }));
  groups.sort((a, b) => b.topics.length - a.topics.length || (a.topics[0] ?? 0) - (b.topics[0] ?? 0));
  return { groups, omitted: graph.omitted };
};

function membersOf(labels: Uint32Array): Map<number, number[]> {
  const members = new Map<number, number[]>();
  for (const [node, label] of labels.entries()) {
    const group = members.get(label);
    if (group) group.push(node);
    else members.set(label, [node]);
  }
  return members;
}

const clusters: Run<'clusters'> = ({ assignments, sizeMin }, bounds) => {
  const graph = buildTopicGraph(assignments, bounds);
  const found = clusterNodes(graph, sizeMin).map(({ nodes, cohesion }) => ({
    topics: nodes.map((node) => graph.nodes[node] ?? 0),
    cohesion,
  }));
  const clusterOf = new Map(found.flatMap(({ topics }, i) => topics.map((topic) => [topic, i] as const)));
  const counts = memoriesPerCluster(assignments, clusterOf, found.length);
  return {
    clusters: found.map((cluster, i) => ({ ...cluster, memoryCount: counts[i] ?? 0 })),
    omitted: graph.omitted,
  };
};

function memoriesPerCluster(
  { topics, memories }: TopicAssignments,
  clusterOf: ReadonlyMap<number, number>,
  clusterCount: number,
): Uint32Array {
  const counts = new Uint32Array(clusterCount);
  const lastMemory = new Float64Array(clusterCount).fill(-1);
  for (const [i, topic] of topics.entries()) {
    const cluster = clusterOf.get(topic);
    const memory = memories[i] ?? 0;
    if (cluster === undefined || lastMemory[cluster] === memory) continue;
    lastMemory[cluster] = memory;
    counts[cluster] = (counts[cluster] ?? 0) + 1;
  }
  return counts;
}

const tasks: { readonly [N in GraphTaskName]: Run<N> } = { communities, clusters };

/** Runs a task. Pure: the same task gives the same result. */
export function runGraphTask<N extends GraphTaskName>(
  name: N,
  task: GraphTasks[N]['task'],
  bounds: GraphBounds = graphBounds,
): GraphTasks[N]['result'] {
  return tasks[name](task, bounds);
}
