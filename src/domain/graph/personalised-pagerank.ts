/**
 * An arc of a directed graph. Its share of its node's outflow is
 * its weight divided by the sum of the weights of that node's arcs.
 */
export interface Arc {
  readonly from: number;
  readonly to: number;
  readonly weight: number;
}

interface ArcGraph {
  readonly nodes: number;
  readonly arcs: readonly Arc[];
  /**
   * Share of a node's outflow (0 to 1) that its given arcs carry if
   * other arcs are missing; the rest restarts at the seeds. Default 1.
   */
  readonly knownShares: ReadonlyMap<number, number>;
}

interface PageRank {
  /** Score of each node; the sum is 1. */
  readonly scores: Float64Array;
  /** Final flow along each arc. */
  readonly flows: Float64Array;
}

/**
 * As in HippoRAG 2 (Gutierrez et al. 2025): every second
 * step restarts at the seeds, so nodes near them count most.
 */
const dampingDefault = 0.5;
const roundsMax = 60;
const changeMin = 1e-9;

/**
 * Personalised PageRank (Page et al. 1999, Haveliwala 2002) by power iteration: the stationary
 * distribution of a random surfer who follows an arc with the probability `damping` and
 * otherwise restarts at a seed. The surfer also restarts at a node without arcs.
 * @param seeds weights by node, at least one of them positive
 */
export function personalisedPageRank(
  { nodes, arcs, knownShares }: ArcGraph,
  seeds: ReadonlyMap<number, number>,
  damping = dampingDefault,
): PageRank {
  const restart = new Float64Array(nodes);
  const total = [...seeds.values()].reduce((sum, weight) => sum + weight, 0);
  for (const [node, weight] of seeds) restart[node] = weight / total;
  const shares = sharesOf(arcs, nodes, knownShares);
  const from = Uint32Array.from(arcs, (arc) => arc.from);
  const to = Uint32Array.from(arcs, (arc) => arc.to);
  let scores = restart.slice();
  for (let round = 0, change = 1; change > changeMin && round < roundsMax; round++) {
    const next = new Float64Array(nodes);
    let moved = 0;
    for (let i = 0; i < from.length; i++) {
      const flow = damping * scores[from[i]] * shares[i];
      next[to[i]] += flow;
      moved += flow;
    }
    change = 0;
    for (let node = 0; node < nodes; node++) {
      const value = (next[node] ?? 0) + (1 - moved) * (restart[node] ?? 0);
      change += Math.abs(value - (scores[node] ?? 0));
      next[node] = value;
    }
    scores = next;
  }
  const flows = shares.map((share, i) => damping * scores[from[i]] * share);
  return { scores, flows };
}

function sharesOf(
  arcs: readonly Arc[],
  nodes: number,
  knownShares: ReadonlyMap<number, number>,
): Float64Array {
  const sums = new Float64Array(nodes);
  for (const { from, weight } of arcs) sums[from] = (sums[from] ?? 0) + weight;
  return Float64Array.from(
    arcs,
    ({ from, weight }) => (weight / (sums[from] || 1)) * (knownShares.get(from) ?? 1),
  );
}
