import { pauseAfter } from '../../lib/loop-time.ts';
import { type ExploredGraph, nodeKey, type Seed } from './explore-graph.ts';
import { compareLinks, compareNodes, type GraphLink, type GraphNode } from './graph-store.ts';

export interface RankedNode extends GraphNode {
  /** PageRank of the node, 0 to 1. */
  readonly score: number;
}

/** A link with the sum of its flows in both directions. */
interface FlowingLink extends GraphLink {
  readonly flow: number;
}

export interface RankedGraph {
  /** Highest score first. */
  readonly nodes: readonly RankedNode[];
  /** At most 200, those with the most flow first. */
  readonly links: readonly FlowingLink[];
}

const linksMax = 200;

/** Specificity of a topic, entity or fact: it falls with the number of its links. */
export function nodeSpecificity(total: number | undefined): number {
  return 1 / Math.log(Math.E + (total ?? 1) - 1);
}

/**
 * Personalised PageRank from the seeds over an explored graph. A link weighs its
 * confidence; a link into a topic, entity or fact is also multiplied by that
 * node's specificity. The share of links that were not read restarts at the seeds.
 */
export async function rankGraph(
  { nodes, links, totals }: ExploredGraph,
  seeds: readonly Seed[],
): Promise<RankedGraph> {
  const numberOf = new Map(nodes.map((node, number) => [nodeKey(node), number]));
  const between = links.flatMap((link) => {
    const [a, b] = [numberOf.get(nodeKey(link.a)), numberOf.get(nodeKey(link.b))];
    return a === undefined || b === undefined ? [] : [{ link, a, b }];
  });
  await pauseAfter();
  const keys = [...numberOf.keys()];
  const sayings = nodes.map(({ kind }, i) => (kind === 'memory' ? 1 : nodeSpecificity(totals.get(keys[i]))));
  const weightInto = (node: number, { confidence }: GraphLink) => Math.max(0.05, confidence) * sayings[node];
  const arcs = between.flatMap(({ link, a, b }): Arc[] => [
    { from: a, to: b, weight: weightInto(b, link) },
    { from: b, to: a, weight: weightInto(a, link) },
  ]);
  const read = new Float64Array(nodes.length);
  for (const { from } of arcs) read[from] = (read[from] ?? 0) + 1;
  const knownShares = new Map<number, number>();
  for (const [key, total] of totals) {
    const number = numberOf.get(key);
    if (number !== undefined && total > (read[number] ?? 0))
      knownShares.set(number, (read[number] ?? 0) / total);
  }
  const begin = new Map<number, number>();
  for (const seed of seeds) {
    const number = numberOf.get(nodeKey(seed));
    if (number !== undefined && seed.weight > 0) begin.set(number, (begin.get(number) ?? 0) + seed.weight);
  }
  if (begin.size === 0) return { nodes: [], links: [] };
  await pauseAfter();
  const { scores, flows } = personalisedPageRank({ nodes: nodes.length, arcs, knownShares }, begin);
  await pauseAfter();
  const order = [...nodes.keys()].sort((x, y) => scores[y] - scores[x] || compareNodes(nodes[x], nodes[y]));
  await pauseAfter();
  const flowOf = (i: number) => flows[2 * i] + flows[2 * i + 1];
  const strongest = [...between.keys()].sort(
    (x, y) => flowOf(y) - flowOf(x) || compareLinks(between[x].link, between[y].link),
  );
  return {
    nodes: order.map((i) => ({ ...nodes[i], score: scores[i] })),
    links: strongest.slice(0, linksMax).map((i) => ({ ...between[i].link, flow: flowOf(i) })),
  };
}

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
