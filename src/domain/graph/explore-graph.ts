import { pauseAfter } from '../../lib/loop-time.ts';
import {
  type ConceptKind,
  compareNodes,
  type GraphLink,
  type GraphNode,
  type GraphReader,
} from './graph-store.ts';

/** A start node, with its share of the restarts of the PageRank. */
export interface Seed extends GraphNode {
  readonly weight: number;
}

interface ExploreOptions {
  /** Steps along links from the seeds, 1 or more. */
  readonly depth: number;
  /** Whether relationships between memories are followed. */
  readonly relationships: boolean;
}

/** Counts of one step. */
interface ExploreStep {
  readonly depth: number;
  /** Nodes whose links were read. */
  readonly expanded: number;
  /** Reached nodes whose links were not read because the step was full. */
  readonly leftOut: number;
  readonly links: number;
}

export interface ExploredGraph {
  /** Seeds first. */
  readonly nodes: readonly GraphNode[];
  readonly links: readonly GraphLink[];
  /** For topics, entities and facts whose links were read: the number of all their links. */
  readonly totals: ReadonlyMap<string, number>;
  readonly steps: readonly ExploreStep[];
}

export const nodeKey = ({ kind, id }: GraphNode) => `${kind} ${id}`;

/** Limits of a step: some 50 statements, regardless of the user's data. */
const memoriesPerStep = 64;
const conceptsPerStep = 32;
const linksPerConcept = 32;
const nodesMax = 3000;
/** Maximum unexpanded memories whose links to other reached nodes are read at the end. */
const joinedMax = 128;

/**
 * The user's graph around the seeds, read in bounded steps. Each step reads the links of the
 * nodes with most of the seeds' weight (a forward push, as in Andersen, Chung and Lang 2006).
 * At the end, links between the reached nodes are completed for the unexpanded memories.
 */
export async function exploreGraph(
  reader: GraphReader,
  seeds: readonly Seed[],
  options: ExploreOptions,
): Promise<ExploredGraph> {
  const exploration = new Exploration(reader, seeds, options);
  for (let depth = 1; depth <= options.depth; depth++) if (!(await exploration.step(depth))) break;
  await exploration.joinMemories();
  return exploration.result();
}

interface Reached {
  readonly node: GraphNode;
  weight: number;
  isExpanded: boolean;
}

const heaviestFirst = (a: Reached, b: Reached) => b.weight - a.weight || compareNodes(a.node, b.node);

class Exploration {
  readonly #reader: GraphReader;
  readonly #relationships: boolean;
  readonly #reached = new Map<string, Reached>();
  readonly #links = new Map<string, GraphLink>();
  readonly #totals = new Map<string, number>();
  readonly #steps: ExploreStep[] = [];

  constructor(reader: GraphReader, seeds: readonly Seed[], { relationships }: ExploreOptions) {
    this.#reader = reader;
    this.#relationships = relationships;
    for (const { kind, id, place, weight } of seeds) this.#reach({ kind, id, place }, weight);
  }

  /** @returns whether it read any links */
  async step(depth: number): Promise<boolean> {
    const frontier = [...this.#reached.values()].filter(({ isExpanded }) => !isExpanded).sort(heaviestFirst);
    const memories = frontier.filter(({ node }) => node.kind === 'memory').slice(0, memoriesPerStep);
    const concepts = frontier.filter(({ node }) => node.kind !== 'memory').slice(0, conceptsPerStep);
    const expanded = memories.length + concepts.length;
    if (expanded === 0) return false;
    const before = this.#links.size;
    // Both are read before any is followed, so that one step follows one link.
    const [ofMemories, ofConcepts] = await Promise.all([
      this.#reader.linksOfMemories(memories.map(({ node }) => node.id)),
      Promise.all(concepts.map(({ node }) => this.#reader.linksOfConcept(toConcept(node), linksPerConcept))),
    ]);
    this.#follow(memories, this.#usable(ofMemories));
    for (const [i, { links, total }] of ofConcepts.entries()) {
      const concept = concepts[i];
      if (!concept) continue;
      await pauseAfter();
      this.#totals.set(nodeKey(concept.node), total);
      this.#follow([concept], links, links.length / Math.max(1, total));
    }
    const leftOut = frontier.length - expanded;
    this.#steps.push({ depth, expanded, leftOut, links: this.#links.size - before });
    return true;
  }

  /** Adds links between reached nodes, for memories that were not expanded. */
  async joinMemories(): Promise<void> {
    const open = [...this.#reached.values()].filter(
      ({ node, isExpanded }) => node.kind === 'memory' && !isExpanded,
    );
    const memories = open.sort(heaviestFirst).slice(0, joinedMax);
    const links = await this.#reader.linksOfMemories(memories.map(({ node }) => node.id));
    await pauseAfter();
    for (const link of this.#usable(links))
      if (this.#reached.has(nodeKey(link.a)) && this.#reached.has(nodeKey(link.b))) this.#add(link);
  }

  result(): ExploredGraph {
    return {
      nodes: [...this.#reached.values()].map(({ node }) => node),
      links: [...this.#links.values()],
      totals: this.#totals,
      steps: this.#steps,
    };
  }

  #usable(links: readonly GraphLink[]): readonly GraphLink[] {
    return this.#relationships ? links : links.filter(({ b }) => b.kind !== 'memory');
  }

  /**
   * Distributes the weight of each expanded node along its
   * links. @param share share of its links that were read
   */
  #follow(from: readonly Reached[], links: readonly GraphLink[], share = 1): void {
    const around = new Map<string, GraphNode[]>(from.map(({ node }) => [nodeKey(node), []]));
    for (const link of links) {
      this.#add(link);
      around.get(nodeKey(link.a))?.push(link.b);
      around.get(nodeKey(link.b))?.push(link.a);
    }
    for (const reached of from) {
      reached.isExpanded = true;
      const neighbours = around.get(nodeKey(reached.node)) ?? [];
      for (const node of neighbours) this.#reach(node, (reached.weight * share) / neighbours.length);
    }
  }

  #reach(node: GraphNode, weight: number): void {
    const known = this.#reached.get(nodeKey(node));
    if (known) known.weight += weight;
    else if (this.#reached.size < nodesMax)
      this.#reached.set(nodeKey(node), { node, weight, isExpanded: false });
  }

  #add(link: GraphLink): void {
    const [a, b] = [nodeKey(link.a), nodeKey(link.b)];
    const key = a < b ? `${a} ${b} ${link.type}` : `${b} ${a} ${link.type}`;
    const known = this.#links.get(key);
    if (!known || known.confidence < link.confidence) this.#links.set(key, link);
  }
}

function toConcept(node: GraphNode): GraphNode & { readonly kind: ConceptKind } {
  if (node.kind === 'memory') throw new Error('A memory is no concept.');
  return { ...node, kind: node.kind };
}
