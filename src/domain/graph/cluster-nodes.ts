import type { TopicGraph } from './topic-graph.ts';

interface NodeCluster {
  /** Nodes of the graph, most central first. */
  readonly nodes: readonly number[];
  /** Mean similarity of its pairs, 0 to 1. */
  readonly cohesion: number;
}

/** Minimum similarity for joining clusters: a quarter of the memories in common, averaged over all pairs. */
const similarityMin = 0.25;

interface Pair {
  readonly similarity: number;
  readonly a: number;
  readonly b: number;
}

/**
 * Average-linkage clustering (UPGMA: Sokal and Michener 1958) of topics by the Jaccard index of
 * their memories: the two closest clusters are joined until none are closer than
 * `similarityMin`. Clusters of fewer than `sizeMin` topics are left out; the largest come first.
 */
export function clusterNodes(graph: TopicGraph, sizeMin: number): NodeCluster[] {
  const forest = new Forest(graph);
  const queue = new PairQueue(forest.pairs());
  for (let pair = queue.take(); pair; pair = queue.take()) {
    if (!forest.isCurrent(pair)) continue;
    for (const next of forest.join(pair.a, pair.b)) queue.add(next);
  }
  return forest
    .clusters()
    .filter(({ nodes }) => nodes.length >= sizeMin)
    .sort((x, y) => y.nodes.length - x.nodes.length || y.cohesion - x.cohesion || firstOf(x) - firstOf(y));
}

const firstOf = ({ nodes }: NodeCluster) => nodes[0] ?? 0;

/**
 * Clusters during the joining; `similar[c]` is the mean
 * similarity of cluster `c` to each other one that it touches.
 */
class Forest {
  readonly #graph: TopicGraph;
  readonly #similar: Map<number, number>[];
  readonly #members: (readonly number[] | undefined)[];
  /** Sums of the similarities of the pairs within each cluster. */
  readonly #within: number[];

  constructor(graph: TopicGraph) {
    this.#graph = graph;
    this.#members = Array.from(graph.nodes, (_, node) => [node]);
    this.#within = this.#members.map(() => 0);
    this.#similar = jaccards(graph);
  }

  *pairs(): Iterable<Pair> {
    for (const [a, others] of this.#similar.entries())
      for (const [b, similarity] of others)
        if (a < b && similarity >= similarityMin) yield { similarity, a, b };
  }

  /** Whether both clusters still exist, with the same similarity. */
  isCurrent({ a, b, similarity }: Pair): boolean {
    return this.#similar[a]?.get(b) === similarity;
  }

  /** @returns the pairs of the new cluster that are similar enough to be joined */
  join(a: number, b: number): Pair[] {
    const [first, second] = [this.#members[a] ?? [], this.#members[b] ?? []];
    const joined = this.#members.push([...first, ...second]) - 1;
    const between = this.#similar[a]?.get(b) ?? 0;
    this.#within.push(
      (this.#within[a] ?? 0) + (this.#within[b] ?? 0) + between * first.length * second.length,
    );
    const sums = new Map<number, number>();
    for (const [from, size] of [
      [a, first.length],
      [b, second.length],
    ] as const)
      for (const [other, similarity] of this.#similar[from] ?? [])
        if (other !== a && other !== b) sums.set(other, (sums.get(other) ?? 0) + similarity * size);
    for (const gone of [a, b]) this.#remove(gone);
    const size = first.length + second.length;
    const similar = new Map([...sums].map(([other, sum]) => [other, sum / size]));
    this.#similar.push(similar);
    for (const [other, similarity] of similar) this.#similar[other]?.set(joined, similarity);
    return [...similar].flatMap(([other, similarity]) =>
      similarity >= similarityMin ? [{ similarity, a: other, b: joined }] : [],
    );
  }

  #remove(cluster: number): void {
    for (const other of this.#similar[cluster]?.keys() ?? []) this.#similar[other]?.delete(cluster);
    this.#similar[cluster]?.clear();
    this.#members[cluster] = undefined;
  }

  clusters(): NodeCluster[] {
    const similar = jaccards(this.#graph);
    return this.#members.flatMap((members, cluster) => {
      if (!members) return [];
      const closeness = (node: number) =>
        members.reduce((sum, other) => sum + (similar[node]?.get(other) ?? 0), 0);
      const byCloseness = members
        .map((node) => ({ node, closeness: closeness(node) }))
        .sort((x, y) => y.closeness - x.closeness || x.node - y.node);
      const pairs = (members.length * (members.length - 1)) / 2;
      const cohesion = pairs === 0 ? 1 : Math.min(1, (this.#within[cluster] ?? 0) / pairs);
      return [{ nodes: byCloseness.map(({ node }) => node), cohesion }];
    });
  }
}

/** For each node, its Jaccard index with each node that it shares memories with. */
function jaccards({ nodes, counts, from, to, shared }: TopicGraph): Map<number, number>[] {
  const similar: Map<number, number>[] = Array.from(nodes, () => new Map());
  for (let i = 0; i < from.length; i++) {
    const [a, b, both] = [from[i] ?? 0, to[i] ?? 0, shared[i] ?? 0];
    const similarity = both / ((counts[a] ?? 0) + (counts[b] ?? 0) - both);
    similar[a]?.set(b, similarity);
    similar[b]?.set(a, similarity);
  }
  return similar;
}

/** Binary heap of pairs: most similar first, then by node numbers. */
class PairQueue {
  readonly #heap: Pair[] = [];

  constructor(pairs: Iterable<Pair>) {
    for (const pair of pairs) this.add(pair);
  }

  add(pair: Pair): void {
    const heap = this.#heap;
    let place = heap.push(pair) - 1;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const upper = heap[above];
      if (!upper || !isBefore(pair, upper)) break;
      heap[place] = upper;
      place = above;
    }
    heap[place] = pair;
  }

  take(): Pair | undefined {
    const heap = this.#heap;
    const [first, last] = [heap[0], heap.pop()];
    if (!last || heap.length === 0) return first;
    let place = 0;
    for (let below = 1; below < heap.length; below = 2 * place + 1) {
      const [left, right] = [heap[below], heap[below + 1]];
      const least = left && right && isBefore(right, left) ? below + 1 : below;
      const lower = heap[least];
      if (!lower || !isBefore(lower, last)) break;
      heap[place] = lower;
      place = least;
    }
    heap[place] = last;
    return first;
  }
}

function isBefore(x: Pair, y: Pair): boolean {
  return x.similarity - y.similarity > 0 || (x.similarity === y.similarity && (x.a - y.a || x.b - y.b) < 0);
}
