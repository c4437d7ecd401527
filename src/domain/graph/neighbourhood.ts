import { chunksOf } from '../../lib/collections.ts';
import { pauseAfter } from '../../lib/loop-time.ts';
import { nodeKey } from './explore-graph.ts';
import {
  type ConceptKind,
  compareNodes,
  type GraphLink,
  type GraphNode,
  type GraphReader,
} from './graph-store.ts';

interface NeighbourhoodOptions {
  /** Steps along links from the centre, 1 or 2. */
  readonly depth: number;
  /** Maximum nodes, the centre included. */
  readonly nodesMax: number;
}

/** The nodes within some steps of one node. */
export interface Neighbourhood {
  /** In the order in which they were reached, the centre first; the value is the number of steps. */
  readonly nodes: ReadonlyMap<GraphNode, number>;
  /** Links between these nodes. */
  readonly links: readonly GraphLink[];
  /** Neighbours of a node, by its key, those that are no nodes of this included; at most 1,000 of a concept. */
  readonly degrees: ReadonlyMap<string, number>;
}

/** Links of the centre that are read, and of any other topic, entity or fact: those are counted beyond. */
const linksOfCentre = 1000;
const linksOfOther = 32;
/** Memories whose links are read at once, so that none of them takes all rows of a kind. */
const memoriesAtOnce = 64;
const conceptsAtOnce = 16;
const kinds = ['memory', 'entity', 'topic', 'fact'] as const;

/**
 * Reads the nodes around a centre. Of too many, those with the most links to nodes that are there
 * already, of each kind as many as of the others while there are any. With two steps the first takes at
 * most half of the nodes. Every node's links are read once: some 3 statements for each topic, entity and
 * fact, some 11 for 64 memories.
 */
export async function neighbourhoodOf(
  reader: GraphReader,
  centre: GraphNode,
  { depth, nodesMax }: NeighbourhoodOptions,
): Promise<Neighbourhood> {
  const growth = new Growth(reader, centre);
  await growth.read([centre], linksOfCentre);
  for (let step = 1; step <= depth; step++) {
    const room = (step < depth ? Math.ceil(nodesMax / 2) : nodesMax) - growth.size;
    const added = growth.add(room, step);
    await growth.read(added, linksOfOther);
  }
  return growth.result();
}

class Growth {
  readonly #reader: GraphReader;
  readonly #nodes = new Map<string, { readonly node: GraphNode; readonly distance: number }>();
  readonly #links = new Map<string, GraphLink>();
  /** Neighbours by key of the nodes whose links were read. */
  readonly #around = new Map<string, Map<string, GraphNode>>();
  readonly #totals = new Map<string, number>();

  constructor(reader: GraphReader, centre: GraphNode) {
    this.#reader = reader;
    this.#nodes.set(nodeKey(centre), { node: centre, distance: 0 });
  }

  get size(): number {
    return this.#nodes.size;
  }

  /** Reads the links of these nodes. */
  async read(nodes: readonly GraphNode[], perConcept: number): Promise<void> {
    for (const node of nodes) this.#around.set(nodeKey(node), new Map());
    const memories = nodes.filter(({ kind }) => kind === 'memory').map(({ id }) => id);
    for (const ids of chunksOf(memories, memoriesAtOnce))
      await this.#follow(await this.#reader.linksOfMemories(ids));
    for (const some of chunksOf(nodes.filter(isConcept), conceptsAtOnce)) {
      const read = await Promise.all(some.map((one) => this.#reader.linksOfConcept(one, perConcept)));
      for (const [i, { links, total }] of read.entries()) {
        this.#totals.set(nodeKey(some[i]), total);
        await this.#follow(links);
      }
    }
  }

  /** Adds at most `count` neighbours of the nodes whose links were read. @returns those added */
  add(count: number, distance: number): GraphNode[] {
    const found = this.#neighbours();
    const queues = kinds.map((kind) => found.filter(({ node }) => node.kind === kind));
    const added: GraphNode[] = [];
    for (let turn = 0; added.length < count && turn < found.length; turn++)
      for (const queue of queues) {
        const next = queue[turn];
        if (next && added.length < count) added.push(next.node);
      }
    for (const node of added) this.#nodes.set(nodeKey(node), { node, distance });
    return added;
  }

  result(): Neighbourhood {
    const links = [...this.#links.values()].filter(
      ({ a, b }) => this.#nodes.has(nodeKey(a)) && this.#nodes.has(nodeKey(b)),
    );
    const degrees = new Map<string, number>();
    for (const [key, around] of this.#around)
      degrees.set(key, Math.max(around.size, this.#totals.get(key) ?? 0));
    return {
      nodes: new Map([...this.#nodes.values()].map(({ node, distance }) => [node, distance])),
      links,
      degrees,
    };
  }

  async #follow(links: readonly GraphLink[]): Promise<void> {
    for (const link of links) {
      const [a, b] = [nodeKey(link.a), nodeKey(link.b)];
      const key = `${a} ${b} ${link.type}`;
      const known = this.#links.get(key);
      if (!known || known.confidence < link.confidence) this.#links.set(key, link);
      this.#around.get(a)?.set(b, link.b);
      this.#around.get(b)?.set(a, link.a);
    }
    await pauseAfter();
  }

  /** Neighbours that are no nodes yet, those with the most links first; of equals the newest memories, and by place. */
  #neighbours(): { readonly node: GraphNode; readonly links: number }[] {
    const found = new Map<string, { node: GraphNode; links: number }>();
    for (const around of this.#around.values())
      for (const [key, node] of around) {
        if (this.#nodes.has(key)) continue;
        const known = found.get(key);
        if (known) known.links++;
        else found.set(key, { node, links: 1 });
      }
    return [...found.values()].sort((x, y) => y.links - x.links || compareInKind(x.node, y.node));
  }
}

const compareInKind = (a: GraphNode, b: GraphNode) =>
  a.kind === 'memory' && b.kind === 'memory' ? compareNodes(b, a) : compareNodes(a, b);

function isConcept(node: GraphNode): node is GraphNode & { readonly kind: ConceptKind } {
  return node.kind !== 'memory';
}
