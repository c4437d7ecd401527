/** Topics of memories: row `i` means that the memory `memories[i]` has the topic `topics[i]`. */
export interface TopicAssignments {
  /** Topics are numbered from 0 to `topicCount - 1`. */
  readonly topicCount: number;
  readonly topics: Uint32Array;
  /** The rows of one memory are adjacent. */
  readonly memories: Uint32Array;
}

export interface GraphBounds {
  /** Maximum topics; the most frequent are kept. */
  readonly topicsMax: number;
  /** Maximum edges; the strongest are kept. */
  readonly edgesMax: number;
  /** Maximum pairs counted, in the order of memories. */
  readonly pairsMax: number;
}

/** Counts of the input that exceeded the limits of a graph and was left out. */
export interface Omitted {
  readonly topics: number;
  readonly edges: number;
  /** Pairs of topics on a memory that were not counted. */
  readonly pairs: number;
}

/** Co-occurrence of topics on memories; node `i` is the topic `nodes[i]` of the assignments. */
export interface TopicGraph {
  readonly nodes: Uint32Array;
  /** Number of memories with the topic of each node. */
  readonly counts: Uint32Array;
  /** Edge `i` joins the nodes `from[i]` and `to[i]`; `from[i]` is the smaller number. */
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  /** Number of memories with both topics of an edge. */
  readonly shared: Uint32Array;
  /** See `associationStrength`. */
  readonly strength: Float64Array;
  readonly omitted: Omitted;
}

/**
 * Strength of the association of two topics, 0 to 1: their shared memories divided by the
 * geometric mean of their counts (Salton's cosine), times shared / (shared + 1), which discounts
 * rare pairs (Pantel and Lin 2002). Raw counts would join everything to the few topics that are
 * everywhere; topics that occur once dominate the probabilistic association strength, shared /
 * (a b) (van Eck and Waltman 2009). docs/graph.md compares them on planted groups.
 */
export function associationStrength(shared: number, a: number, b: number): number {
  return (shared / Math.sqrt(a * b)) * (shared / (shared + 1));
}

/** The weighted graph of co-occurrence, within `bounds`. Pure: the same assignments give the same graph. */
export function buildTopicGraph(assignments: TopicAssignments, bounds: GraphBounds): TopicGraph {
  const frequency = new Uint32Array(assignments.topicCount);
  for (const topic of assignments.topics) frequency[topic] = (frequency[topic] ?? 0) + 1;
  const nodes = mostFrequent(frequency, bounds.topicsMax);
  const used = frequency.reduce((sum, count) => sum + (count > 0 ? 1 : 0), 0);
  const { keys, omitted: pairs } = pairsOf(assignments, nodes, bounds.pairsMax);
  const counts = nodes.map((topic) => frequency[topic] ?? 0);
  const edges = strongest(runsOf(keys, nodes.length), counts, bounds.edgesMax);
  return {
    nodes,
    counts,
    ...edges,
    omitted: { topics: used - nodes.length, edges: edges.left, pairs },
  };
}

/** The `max` most frequent topics, in the order of their numbers. */
function mostFrequent(frequency: Uint32Array, max: number): Uint32Array {
  const used: number[] = [];
  for (let topic = 0; topic < frequency.length; topic++) if (frequency[topic]) used.push(topic);
  if (used.length > max) {
    used.sort((a, b) => (frequency[b] ?? 0) - (frequency[a] ?? 0) || a - b);
    used.length = max;
    used.sort((a, b) => a - b);
  }
  return Uint32Array.from(used);
}

/** The pairs of nodes on each memory, encoded as `from * nodes + to` and sorted. */
function pairsOf({ topicCount, topics, memories }: TopicAssignments, nodes: Uint32Array, max: number) {
  const none = 0xffff_ffff;
  const nodeOf = new Uint32Array(topicCount).fill(none);
  nodes.forEach((topic, node) => {
    nodeOf[topic] = node;
  });
  const keys = new Float64Array(Math.min(max, countPairs(memories)));
  let filled = 0;
  let omitted = 0;
  for (let start = 0; start < memories.length; ) {
    const end = endOfRun(memories, start);
    const on = [...new Set(topics.subarray(start, end))].map((topic) => nodeOf[topic] ?? none);
    const known = on.filter((node) => node !== none).sort((a, b) => a - b);
    const pairs = (known.length * (known.length - 1)) / 2;
    if (filled + pairs > keys.length) omitted += pairs;
    else
      for (const [i, a] of known.entries())
        for (let j = i + 1; j < known.length; j++) keys[filled++] = a * nodes.length + (known[j] ?? 0);
    start = end;
  }
  return { keys: keys.subarray(0, filled).sort(), omitted };
}

function endOfRun(values: Uint32Array, start: number): number {
  let end = start + 1;
  while (end < values.length && values[end] === values[start]) end++;
  return end;
}

function countPairs(memories: Uint32Array): number {
  let pairs = 0;
  for (let start = 0; start < memories.length; ) {
    const end = endOfRun(memories, start);
    pairs += ((end - start) * (end - start - 1)) / 2;
    start = end;
  }
  return pairs;
}

interface Edges {
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  readonly shared: Uint32Array;
}

function runsOf(keys: Float64Array, nodes: number): Edges {
  const from: number[] = [];
  const to: number[] = [];
  const shared: number[] = [];
  for (let start = 0; start < keys.length; ) {
    let end = start + 1;
    while (end < keys.length && keys[end] === keys[start]) end++;
    const key = keys[start] ?? 0;
    from.push(Math.floor(key / nodes));
    to.push(key % nodes);
    shared.push(end - start);
    start = end;
  }
  return { from: Uint32Array.from(from), to: Uint32Array.from(to), shared: Uint32Array.from(shared) };
}

function strongest({ from, to, shared }: Edges, counts: Uint32Array, max: number) {
  const strength = new Float64Array(from.length);
  for (let i = 0; i < from.length; i++)
    strength[i] = associationStrength(shared[i] ?? 0, counts[from[i] ?? 0] ?? 1, counts[to[i] ?? 0] ?? 1);
  if (from.length <= max) return { from, to, shared, strength, left: 0 };
  const order = Uint32Array.from(from.keys()).sort(
    (a, b) => (strength[b] ?? 0) - (strength[a] ?? 0) || (shared[b] ?? 0) - (shared[a] ?? 0) || a - b,
  );
  const kept = order.subarray(0, max).sort();
  return {
    from: kept.map((i) => from[i] ?? 0),
    to: kept.map((i) => to[i] ?? 0),
    shared: kept.map((i) => shared[i] ?? 0),
    strength: Float64Array.from(kept, (i) => strength[i] ?? 0),
    left: from.length - max,
  };
}
