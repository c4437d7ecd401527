import type { EntityType } from '../domain/entities/entity.ts';
import { type Fact, validityOf } from '../domain/facts/fact.ts';
import { nodeKey } from '../domain/graph/explore-graph.ts';
import {
  type ConceptName,
  compareLinks,
  type GraphLink,
  type GraphNode,
  memoryNode,
  type NodeKind,
} from '../domain/graph/graph-store.ts';
import { type Neighbourhood, neighbourhoodOf } from '../domain/graph/neighbourhood.ts';
import type { Memory } from '../domain/memories/memory.ts';
import { notFound } from '../domain/shared/errors.ts';
import type { Stores, UserStores } from '../domain/shared/stores.ts';
import type { UserRef } from '../domain/shared/user-ref.ts';
import type { Clock } from '../lib/clock.ts';
import { previewOf } from '../search/shape/preview.ts';
import { always, type Span, spansOfLinks, spansOfMemories } from './spans.ts';

export interface AroundRequest {
  readonly kind: NodeKind;
  /** Of a topic its name, too. */
  readonly id: string;
  /** 1 or 2. */
  readonly depth: number;
  /** Maximum nodes, the centre included. */
  readonly limit: number;
}

export interface AroundNode extends Partial<Span> {
  readonly kind: NodeKind;
  readonly id: string;
  /** Of a memory, the beginning of its text; at most 200 UTF-16 units. */
  readonly name: string;
  /** Of an entity. */
  readonly type?: EntityType;
  /** Of a memory or a fact. */
  readonly effectiveState?: string;
  /** Steps from the centre. */
  readonly distance: number;
  /** Neighbours that are no nodes of the response. */
  readonly hidden: number;
}

export interface AroundEdge extends Span {
  readonly from: GraphNode;
  readonly to: GraphNode;
  readonly type: GraphLink['type'];
  readonly confidence: number;
}

export interface GraphAround {
  /** The centre first. */
  readonly nodes: readonly AroundNode[];
  /** The most certain first. */
  readonly edges: readonly AroundEdge[];
  /** Edges between the nodes that were left out. */
  readonly hiddenEdges: number;
}

/** A page draws some 1,000 edges without a pause; more are not told apart. */
const edgesPerNode = 4;

/** The nodes and edges around one memory, entity, topic or fact. @throws 404 */
export async function graphAround(
  { stores, clock }: { readonly stores: Stores; readonly clock: Clock },
  user: UserRef,
  { kind, id, depth, limit }: AroundRequest,
): Promise<GraphAround> {
  const own = stores.forUser(user);
  const centre = await centreOf(own, kind, id);
  const found = await neighbourhoodOf(own.graph, centre, { depth, nodesMax: limit });
  const known = await recordsOf(own, [...found.nodes.keys()]);
  const links = found.links.filter(({ a, b }) => known.has(a) && known.has(b)).sort(mostCertainFirst);
  const spans = spansOfLinks(links, await spansOfMemories(own, known.memories));
  const edges = links.map(({ a, b, type, confidence }, i) => ({
    from: a,
    to: b,
    type,
    confidence,
    ...(spans.ofLinks[i] ?? always),
  }));
  const describe = (node: GraphNode): Pick<AroundNode, 'name'> & Partial<AroundNode> => {
    const memory = known.memories.get(node.id);
    const span = spans.ofNodes.get(nodeKey(node));
    if (memory) return { name: previewOf(memory.content), effectiveState: memory.effectiveState, ...span };
    const fact = known.facts.get(node.id);
    const concept = known.concepts.get(node.id);
    if (!fact) return { name: previewOf(concept?.name ?? ''), type: concept?.type as EntityType | undefined };
    const { effectiveState, validFrom, validTo } = validityOf(fact, clock.now());
    return { name: nameOf(fact), effectiveState, validFrom, validTo, ...span };
  };
  const shown = shownNeighbours(links);
  const nodes = [...found.nodes]
    .filter(([node]) => known.has(node))
    .map(([node, distance]) => ({
      kind: node.kind,
      id: node.id,
      distance,
      hidden: hiddenOf(found, node, shown),
      ...describe(node),
    }));
  const edgesMax = edgesPerNode * limit;
  return { nodes, edges: edges.slice(0, edgesMax), hiddenEdges: Math.max(0, edges.length - edgesMax) };
}

async function centreOf(own: UserStores, kind: NodeKind, id: string): Promise<GraphNode> {
  if (kind === 'memory') {
    const memory = await own.memories.find(id);
    if (memory) return memoryNode(memory.id, memory.seq);
  } else {
    const record = await own[storesOf[kind]].find(id);
    if (record) return { kind, id: record.id };
  }
  throw notFound(kind);
}

const storesOf = { entity: 'entities', topic: 'topics', fact: 'facts' } as const;

/** The records of nodes that are visible. */
class Records {
  readonly memories: ReadonlyMap<string, Memory>;
  readonly facts: ReadonlyMap<string, Fact>;
  readonly concepts: ReadonlyMap<string, ConceptName>;

  constructor(memories: readonly Memory[], facts: readonly Fact[], concepts: readonly ConceptName[]) {
    this.memories = new Map(memories.map((memory) => [memory.id, memory]));
    this.facts = new Map(facts.map((fact) => [fact.id, fact]));
    this.concepts = new Map(concepts.map((concept) => [concept.id, concept]));
  }

  has({ id }: GraphNode): boolean {
    return this.memories.has(id) || this.facts.has(id) || this.concepts.has(id);
  }
}

async function recordsOf(own: UserStores, nodes: readonly GraphNode[]): Promise<Records> {
  const idsOf = (kind: NodeKind) => nodes.filter((node) => node.kind === kind).map(({ id }) => id);
  const names = nodes.filter(({ kind }) => kind === 'topic' || kind === 'entity');
  return new Records(
    await own.memories.findMany(idsOf('memory')),
    await own.facts.findMany(idsOf('fact')),
    await own.graph.namesOf(names),
  );
}

const nameOf = ({ subject, predicate, object }: Fact) => previewOf(`${subject} ${predicate} ${object}`);

const mostCertainFirst = (x: GraphLink, y: GraphLink) => y.confidence - x.confidence || compareLinks(x, y);

/** By key of a node. */
function shownNeighbours(links: readonly GraphLink[]): ReadonlyMap<string, ReadonlySet<string>> {
  const shown = new Map<string, Set<string>>();
  const join = (from: string, to: string) => shown.set(from, (shown.get(from) ?? new Set()).add(to));
  for (const { a, b } of links) {
    join(nodeKey(a), nodeKey(b));
    join(nodeKey(b), nodeKey(a));
  }
  return shown;
}

function hiddenOf(
  { degrees }: Neighbourhood,
  node: GraphNode,
  shown: ReadonlyMap<string, ReadonlySet<string>>,
): number {
  const key = nodeKey(node);
  return Math.max(0, (degrees.get(key) ?? 0) - (shown.get(key)?.size ?? 0));
}
