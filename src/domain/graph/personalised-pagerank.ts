/** An arc of a directed graph; its share of what flows out of its node is `weight` by the sum of those from there. */
export interface Arc {
  readonly from: number;
  readonly to: number;
  readonly weight: number;
}

export interface ArcGraph {
  readonly nodes: number;
  readonly arcs: readonly Arc[];
  /** Share, 0 to 1, of what leaves a node along the arcs given, where others are left out: the rest begins at a seed again. 1 where it is absent. */
  readonly knownShares: ReadonlyMap<number, number>;
}

export interface PageRank {
  /** Of each node; their sum is 1. */
  readonly scores: Float64Array;
  /** What flows along each arc in the end. */
  readonly flows: Float64Array;
}

/** As HippoRAG 2 has it (Gutierrez et al. 2025): every other step goes back to the seeds, so that those near them count. */
export const dampingDefault = 0.5;
const roundsMax = 60;
const changeMin = 1e-9;

/**
 * Personalised PageRank (Page et al. 1999, Haveliwala 2002) by power iteration: where a walker is who follows an arc with
 * the probability `damping` and else begins at a seed again. What reaches a node without arcs begins again, too.
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
