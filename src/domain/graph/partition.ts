import Graph from 'graphology';
import louvainModule from 'graphology-communities-louvain';
import { seededRandom } from '../../lib/random.ts';
import type { CommunityAlgorithm } from '../communities/community.ts';
import type { TopicGraph } from './topic-graph.ts';

/** The package exports the function itself, but its types declare a member `default`. */
const louvain = louvainModule as unknown as typeof louvainModule.default;
/** Constant, so that the same graph always has the same communities. */
const seed = 20_090_109;
const roundsMax = 100;

type Partition = (graph: TopicGraph) => Uint32Array;

/** Community number of each node; a node without edges has its own. */
export function partition(graph: TopicGraph, algorithm: CommunityAlgorithm): Uint32Array {
  return partitions[algorithm](graph);
}

/** Louvain method by graphology, with resolution 1 (Blondel, Guillaume, Lambiotte and Lefebvre 2008). */
const byLouvain: Partition = (graph) => {
  const joined = new Graph.UndirectedGraph();
  for (let node = 0; node < graph.nodes.length; node++) joined.addNode(node);
  for (let i = 0; i < graph.from.length; i++)
    joined.addEdge(graph.from[i], graph.to[i], { weight: graph.strength[i] });
  const found = louvain(joined, { rng: seededRandom(seed), getEdgeWeight: 'weight' });
  return Uint32Array.from({ length: graph.nodes.length }, (_, node) => found[node] ?? 0);
};

/**
 * Weighted label propagation (Raghavan, Albert and Kumara 2007): each node in turn takes
 * the strongest label of its neighbours, until none changes. The seed shuffles the order
 * of turns. Among equally strong labels, a node prefers its own, then the smallest.
 */
const byLabels: Partition = (graph) => {
  const around = neighboursOf(graph);
  const labels = Uint32Array.from({ length: graph.nodes.length }, (_, node) => node);
  const order = shuffled(graph.nodes.length);
  for (let round = 0, changed = true; changed && round < roundsMax; round++) {
    changed = false;
    for (const node of order) {
      const label = strongestLabel(around[node] ?? [], labels, labels[node] ?? node);
      if (label === labels[node]) continue;
      labels[node] = label;
      changed = true;
    }
  }
  return labels;
};

const partitions: Readonly<Record<CommunityAlgorithm, Partition>> = {
  louvain: byLouvain,
  'label-propagation': byLabels,
};

interface Neighbour {
  readonly node: number;
  readonly strength: number;
}

function neighboursOf({ nodes, from, to, strength }: TopicGraph): Neighbour[][] {
  const around: Neighbour[][] = Array.from(nodes, () => []);
  for (let i = 0; i < from.length; i++) {
    const [a, b, weight] = [from[i] ?? 0, to[i] ?? 0, strength[i] ?? 0];
    around[a]?.push({ node: b, strength: weight });
    around[b]?.push({ node: a, strength: weight });
  }
  return around;
}

function shuffled(length: number): Uint32Array {
  const order = Uint32Array.from({ length }, (_, i) => i);
  const random = seededRandom(seed);
  for (let i = length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [order[i], order[j]] = [order[j] ?? 0, order[i] ?? 0];
  }
  return order;
}

function strongestLabel(around: readonly Neighbour[], labels: Uint32Array, own: number): number {
  const sums = new Map<number, number>();
  for (const { node, strength } of around) {
    const label = labels[node] ?? node;
    sums.set(label, (sums.get(label) ?? 0) + strength);
  }
  let [best, most] = [own, sums.get(own) ?? 0];
  for (const [label, sum] of sums)
    if (sum > most || (sum === most && best !== own && label < best)) [best, most] = [label, sum];
  return best;
}
