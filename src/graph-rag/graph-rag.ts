import { nodeKey } from '../domain/graph/explore-graph.ts';
import { type GraphNode, traceLifetimeMs } from '../domain/graph/graph-store.ts';
import { notFound } from '../domain/shared/errors.ts';
import type { Stores, UserStores } from '../domain/shared/stores.ts';
import type { EpochMs } from '../domain/shared/time.ts';
import type { UserRef } from '../domain/shared/user-ref.ts';
import type { Clock } from '../lib/clock.ts';
import { groupBy } from '../lib/collections.ts';
import { previewOf } from '../search/shape/preview.ts';
import { type AroundRequest, type GraphAround, graphAround } from './graph-around.ts';
import type { GraphOutcome, GraphRequest, GraphTrace, TraceNode } from './graph-outcome.ts';
import { queryGraph } from './graph-query.ts';
import { type CommunityAnswer, type CommunityQueryDeps, queryCommunities } from './query-communities.ts';

/** Answers from the graph of a user's memories, as the HTTP layer sees it. */
export interface GraphRag {
  /** @throws 422 for a blank query */
  query(user: UserRef, request: GraphRequest): Promise<GraphOutcome>;
  /** @throws 404 for an unknown query, and after 7 days */
  explain(user: UserRef, queryId: string): Promise<ExplainedQuery>;
  /** The nodes around one memory, entity, topic or fact. @throws 404 */
  around(user: UserRef, request: AroundRequest): Promise<GraphAround>;
  /** @throws 422 for a blank query */
  queryCommunities(
    user: UserRef,
    request: { readonly query: string; readonly limit: number },
  ): Promise<CommunityAnswer[]>;
}

export function createGraphRag(deps: CommunityQueryDeps): GraphRag {
  return {
    query: (user, request) => queryGraph(deps, user, request),
    explain: (user, queryId) => explainQuery(deps, user, queryId),
    around: (user, request) => graphAround(deps, user, request),
    queryCommunities: (user, request) => queryCommunities(deps, user, request),
  };
}

/** A node of a trace with its current name: that of the concept, or the beginning of the memory. */
interface ShownNode extends GraphNode {
  readonly name: string;
}

interface ExplainedQuery extends Pick<GraphTrace, 'request' | 'method' | 'steps'> {
  readonly queryId: string;
  readonly createdAt: EpochMs;
  readonly seeds: readonly (ShownNode & Omit<GraphTrace['seeds'][number], 'node'>)[];
  readonly edges: readonly (Omit<GraphTrace['edges'][number], 'from' | 'to'> & {
    readonly from: ShownNode;
    readonly to: ShownNode;
  })[];
  readonly scores: readonly (ShownNode & { readonly score: number })[];
  /** Number of nodes that are not shown because they were erased or moved to the trash since. */
  readonly hidden: number;
}

/** The trace of a query of the graph, with current names. @throws 404 */
async function explainQuery(
  { stores, clock }: { readonly stores: Stores; readonly clock: Clock },
  user: UserRef,
  queryId: string,
): Promise<ExplainedQuery> {
  const own = stores.forUser(user);
  const stored = await own.traces.find(queryId);
  if (!stored || stored.createdAt <= clock.now() - traceLifetimeMs) throw notFound('graph_query');
  const trace = JSON.parse(stored.trace) as GraphTrace;
  const nodes = nodesOf(trace);
  const shown = await shownNodes(own, nodes);
  const show = (node: TraceNode) => shown.get(nodeKey(toNode(node)));
  return {
    queryId,
    createdAt: stored.createdAt,
    request: trace.request,
    method: trace.method,
    steps: trace.steps,
    seeds: trace.seeds.flatMap(({ node, ...seed }) => withNode(show(node), seed)),
    edges: trace.edges.flatMap(({ from, to, ...edge }) => {
      const [start, end] = [show(from), show(to)];
      return start && end ? [{ from: start, to: end, ...edge }] : [];
    }),
    scores: trace.scores.flatMap(({ node, score }) => withNode(show(node), { score })),
    hidden: nodes.length - shown.size,
  };
}

const toNode = ([kind, id]: TraceNode): GraphNode => ({ kind, id });
const withNode = <T>(node: ShownNode | undefined, more: T): (ShownNode & T)[] =>
  node ? [{ ...node, ...more }] : [];

function nodesOf({ seeds, edges, scores }: GraphTrace): GraphNode[] {
  const all = [
    ...seeds.map(({ node }) => node),
    ...edges.flatMap(({ from, to }) => [from, to]),
    ...scores.map(({ node }) => node),
  ].map(toNode);
  return [...new Map(all.map((node) => [nodeKey(node), node])).values()];
}

/** Nodes that are live memories, or concepts of a live memory. */
async function shownNodes(
  { memories, graph }: UserStores,
  nodes: readonly GraphNode[],
): Promise<Map<string, ShownNode>> {
  const byKind = groupBy(nodes, ({ kind }) => (kind === 'memory' ? 'memory' : 'concept'));
  const found = await memories.findMany((byKind.get('memory') ?? []).map(({ id }) => id));
  const named = await graph.namesOf(byKind.get('concept') ?? []);
  const shown = new Map<string, ShownNode>();
  for (const { id, content } of found)
    shown.set(nodeKey({ kind: 'memory', id }), { kind: 'memory', id, name: previewOf(content) });
  for (const { kind, id, name } of named) shown.set(nodeKey({ kind, id }), { kind, id, name });
  return shown;
}
