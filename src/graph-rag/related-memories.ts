import { type ExploredGraph, nodeKey } from '../domain/graph/explore-graph.ts';
import {
  type ConceptName,
  compareNodes,
  type GraphLink,
  type GraphNode,
} from '../domain/graph/graph-store.ts';
import { nodeSpecificity } from '../domain/graph/rank-graph.ts';
import type { RelatedMemory } from './graph-outcome.ts';

export type RelatedWithoutText = Omit<RelatedMemory, 'preview'>;

const perMemory = 3;
const viaMax = 3;

interface Shared {
  readonly memory: GraphNode;
  /** Nodes that both share, the most specific first. */
  readonly nodes: { readonly node: GraphNode; readonly specificity: number }[];
}

/**
 * Related memories: relationships first, then memories that share the
 * most specific topics, entities and facts; of equals the newest first.
 */
export class RelatedMemories {
  readonly #around = new Map<string, GraphLink[]>();
  readonly #totals: ReadonlyMap<string, number>;
  readonly #names: ReadonlyMap<string, ConceptName>;

  constructor(
    { links, totals }: Pick<ExploredGraph, 'links' | 'totals'>,
    names: ReadonlyMap<string, ConceptName>,
  ) {
    this.#totals = totals;
    this.#names = names;
    for (const link of links)
      for (const end of [link.a, link.b]) {
        const known = this.#around.get(nodeKey(end));
        if (known) known.push(link);
        else this.#around.set(nodeKey(end), [link]);
      }
  }

  of(memoryId: string): RelatedWithoutText[] {
    const edges = this.#edgesOf(memoryId);
    const joined = new Set(edges.map(({ id }) => id));
    const shared = [...this.#sharedWith(memoryId)]
      .filter(([id]) => !joined.has(id))
      .map(([id, { memory, nodes }]) => ({ id, memory, nodes, strength: strengthOf(nodes) }))
      .sort((x, y) => y.strength - x.strength || compareNodes(y.memory, x.memory))
      .slice(0, perMemory)
      .map(({ id, nodes, strength }) => this.#toRelated(id, nodes, strength));
    return [...edges, ...shared].slice(0, perMemory);
  }

  #edgesOf(memoryId: string): RelatedWithoutText[] {
    const node: GraphNode = { kind: 'memory', id: memoryId };
    return (this.#around.get(nodeKey(node)) ?? []).flatMap(({ a, b, type, confidence }) => {
      if (a.kind !== 'memory' || b.kind !== 'memory') return [];
      const isSource = a.id === memoryId;
      const direction = isSource ? 'outgoing' : 'incoming';
      const id = isSource ? b.id : a.id;
      return [{ id, relationshipType: type, direction, via: [], strength: confidence } as const];
    });
  }

  #sharedWith(memoryId: string): Map<string, Shared> {
    const shared = new Map<string, Shared>();
    for (const concept of this.#neighbours({ kind: 'memory', id: memoryId }, false)) {
      const others = this.#neighbours(concept, true);
      const specificity = nodeSpecificity(this.#totals.get(nodeKey(concept)) ?? others.length);
      for (const memory of others) {
        const { id } = memory;
        if (id === memoryId) continue;
        const entry = shared.get(id) ?? { memory, nodes: [] };
        entry.nodes.push({ node: concept, specificity });
        shared.set(id, entry);
      }
    }
    return shared;
  }

  #neighbours(node: GraphNode, memories: boolean): GraphNode[] {
    return (this.#around.get(nodeKey(node)) ?? [])
      .map(({ a, b }) => (nodeKey(a) === nodeKey(node) ? b : a))
      .filter(({ kind }) => (kind === 'memory') === memories);
  }

  #toRelated(id: string, nodes: Shared['nodes'], strength: number): RelatedWithoutText {
    const telling = nodes.toSorted((x, y) => y.specificity - x.specificity);
    const names = telling.flatMap(({ node }) => this.#names.get(nodeKey(node))?.name ?? []);
    // A topic and an entity may have the same name.
    const via = [...new Map(names.map((name) => [name.toLowerCase(), name])).values()].slice(0, viaMax);
    return { id, relationshipType: `shared-${telling[0]?.node.kind ?? 'topic'}`, via, strength };
  }
}

/** Probability that a shared node is significant: each is, independently, with half its specificity. */
function strengthOf(nodes: Shared['nodes']): number {
  return 1 - nodes.reduce((rest, { specificity }) => rest * (1 - specificity / 2), 1);
}
