import { type ExploredGraph, keyOf, type Seed } from './explore-graph.ts';
import { compareLinks, compareNodes, type GraphLink, type GraphNode } from './graph-store.ts';
import { type Arc, personalisedPageRank } from './personalised-pagerank.ts';

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
  /** Most flow first. */
  readonly links: readonly FlowingLink[];
}

/** Specificity of a topic, entity or fact: it falls with the number of its links. */
export function specificityOf(total: number | undefined): number {
  return 1 / Math.log(Math.E + (total ?? 1) - 1);
}

/**
 * Personalised PageRank from the seeds over an explored graph. A link weighs its
 * confidence; a link into a topic, entity or fact is also multiplied by that
 * node's specificity. The share of links that were not read restarts at the seeds.
 */
export function rankGraph({ nodes, links, totals }: ExploredGraph, seeds: readonly Seed[]): RankedGraph {
  const numberOf = new Map(nodes.map((node, number) => [keyOf(node), number]));
  const between = links.flatMap((link) => {
    const [a, b] = [numberOf.get(keyOf(link.a)), numberOf.get(keyOf(link.b))];
    return a === undefined || b === undefined ? [] : [{ link, a, b }];
  });
  const keys = [...numberOf.keys()];
  const sayings = nodes.map(({ kind }, i) => (kind === 'memory' ? 1 : specificityOf(totals.get(keys[i]))));
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
    const number = numberOf.get(keyOf(seed));
    if (number !== undefined && seed.weight > 0) begin.set(number, (begin.get(number) ?? 0) + seed.weight);
  }
  if (begin.size === 0) return { nodes: [], links: [] };
  const { scores, flows } = personalisedPageRank({ nodes: nodes.length, arcs, knownShares }, begin);
  const order = [...nodes.keys()].sort((x, y) => scores[y] - scores[x] || compareNodes(nodes[x], nodes[y]));
  const flowing = between.map(({ link }, i) => ({
    ...link,
    flow: (flows[2 * i] ?? 0) + (flows[2 * i + 1] ?? 0),
  }));
  return {
    nodes: order.map((i) => ({ ...nodes[i], score: scores[i] })),
    links: flowing.sort((x, y) => y.flow - x.flow || compareLinks(x, y)),
  };
}
