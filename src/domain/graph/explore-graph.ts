import { pauseAfter } from '../../lib/breather.ts';
import {
  type ConceptKind,
  compareNodes,
  type GraphLink,
  type GraphNode,
  type GraphReader,
} from './graph-store.ts';

/** A node to begin at, and how much of the walk begins there. */
export interface Seed extends GraphNode {
  readonly weight: number;
}

export interface ExploreOptions {
  /** Steps along links from the seeds, 1 or more. */
  readonly depth: number;
  /** Whether relationships between memories are followed. */
  readonly relationships: boolean;
}

/** What one step read. */
export interface ExploreStep {
  readonly depth: number;
  /** Nodes whose links were read. */
  readonly expanded: number;
  /** Nodes within reach whose links were not read, because the step was full. */
  readonly leftOut: number;
  readonly links: number;
}

export interface ExploredGraph {
  /** Seeds first. */
  readonly nodes: readonly GraphNode[];
  readonly links: readonly GraphLink[];
  /** Of topics, entities and facts whose links were read: all that there are, those read included. */
  readonly totals: ReadonlyMap<string, number>;
  readonly steps: readonly ExploreStep[];
}

export const keyOf = ({ kind, id }: GraphNode) => `${kind} ${id}`;

/** Bounds of a step: some 50 statements, whatever the user has. */
const memoriesPerStep = 64;
const conceptsPerStep = 32;
const linksPerConcept = 32;
const nodesMax = 3000;
/** Memories found last whose links among what was read are read. */
const joinedMax = 128;

/**
 * The user's graph around the seeds, read in bounded steps: in each, the links of those nodes that most of the seeds'
 * weight reaches (a forward push, as in Andersen, Chung and Lang 2006). Links among the memories found last are read at the
 * end, so that the graph is whole within itself.
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

  /** @returns whether anything was left to read */
  async step(depth: number): Promise<boolean> {
    const frontier = [...this.#reached.values()].filter(({ isExpanded }) => !isExpanded).sort(heaviestFirst);
    const memories = frontier.filter(({ node }) => node.kind === 'memory').slice(0, memoriesPerStep);
    const concepts = frontier.filter(({ node }) => node.kind !== 'memory').slice(0, conceptsPerStep);
    const expanded = memories.length + concepts.length;
    if (expanded === 0) return false;
    const before = this.#links.size;
    // Both are read before either is followed, so that a step goes one link far.
    const [ofMemories, ofConcepts] = await Promise.all([
      this.#reader.linksOfMemories(memories.map(({ node }) => node.id)),
      Promise.all(concepts.map(({ node }) => this.#reader.linksOfConcept(toConcept(node), linksPerConcept))),
    ]);
    this.#follow(memories, this.#usable(ofMemories));
    for (const [i, { links, total }] of ofConcepts.entries()) {
      const concept = concepts[i];
      if (!concept) continue;
      await pauseAfter();
      this.#totals.set(keyOf(concept.node), total);
      this.#follow([concept], links, links.length / Math.max(1, total));
    }
    const leftOut = frontier.length - expanded;
    this.#steps.push({ depth, expanded, leftOut, links: this.#links.size - before });
    return true;
  }

  /** Links between the nodes that are there already, of the memories whose links were not read. */
  async joinMemories(): Promise<void> {
    const open = [...this.#reached.values()].filter(
      ({ node, isExpanded }) => node.kind === 'memory' && !isExpanded,
    );
    const memories = open.sort(heaviestFirst).slice(0, joinedMax);
    const links = await this.#reader.linksOfMemories(memories.map(({ node }) => node.id));
    await pauseAfter();
    for (const link of this.#usable(links))
      if (this.#reached.has(keyOf(link.a)) && this.#reached.has(keyOf(link.b))) this.#add(link);
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

  /** Passes the weight of each expanded node on along its links. @param share of its links that were read */
  #follow(from: readonly Reached[], links: readonly GraphLink[], share = 1): void {
    const around = new Map<string, GraphNode[]>(from.map(({ node }) => [keyOf(node), []]));
    for (const link of links) {
      this.#add(link);
      around.get(keyOf(link.a))?.push(link.b);
      around.get(keyOf(link.b))?.push(link.a);
    }
    for (const reached of from) {
      reached.isExpanded = true;
      const neighbours = around.get(keyOf(reached.node)) ?? [];
      for (const node of neighbours) this.#reach(node, (reached.weight * share) / neighbours.length);
    }
  }

  #reach(node: GraphNode, weight: number): void {
    const known = this.#reached.get(keyOf(node));
    if (known) known.weight += weight;
    else if (this.#reached.size < nodesMax)
      this.#reached.set(keyOf(node), { node, weight, isExpanded: false });
  }

  #add(link: GraphLink): void {
    const [a, b] = [keyOf(link.a), keyOf(link.b)];
    const key = a < b ? `${a} ${b} ${link.type}` : `${b} ${a} ${link.type}`;
    const known = this.#links.get(key);
    if (!known || known.confidence < link.confidence) this.#links.set(key, link);
  }
}

function toConcept(node: GraphNode): GraphNode & { readonly kind: ConceptKind } {
  if (node.kind === 'memory') throw new Error('A memory is no concept.');
  return { ...node, kind: node.kind };
}
