import type { ExploredGraph } from '../domain/graph/explore-graph.ts';
import type { GraphNode } from '../domain/graph/graph-store.ts';
import type { RankedGraph } from '../domain/graph/rank-graph.ts';
import type { Memory } from '../domain/memories/memory.ts';
import type { SearchMethod } from '../search/request.ts';
import type { GraphRequest, GraphTrace, TraceNode } from './graph-outcome.ts';
import type { QuerySeed } from './graph-seeds.ts';

const edgesMax = 200;
const conceptsMax = 50;

export interface Traced {
  readonly request: GraphRequest;
  readonly method: SearchMethod;
  readonly seeds: readonly QuerySeed[];
  readonly explored: ExploredGraph;
  readonly ranked: RankedGraph;
  readonly memories: readonly { readonly memory: Memory; readonly score: number }[];
}

const nodeOf = ({ kind, id }: GraphNode): TraceNode => [kind, id];
/** Five digits say enough. */
const rounded = (value: number) => Number(value.toPrecision(5));

/** What a query did, in ids and numbers: no text of a memory, so that none outlives it. */
export function traceOf({ request, method, seeds, explored, ranked, memories }: Traced): GraphTrace {
  const concepts = ranked.nodes.filter(({ kind, score }) => kind !== 'memory' && score > 0);
  return {
    request,
    method,
    seeds: seeds.map(({ by, weight, score, ...node }) => ({
      node: nodeOf(node),
      by,
      weight: rounded(weight),
      ...(score !== undefined && { score: rounded(score) }),
    })),
    steps: explored.steps,
    edges: ranked.links.slice(0, edgesMax).map(({ a, b, type, confidence, flow }) => ({
      from: nodeOf(a),
      to: nodeOf(b),
      type,
      confidence: rounded(confidence),
      flow: rounded(flow),
    })),
    scores: [
      ...memories.map(({ memory, score }) => ({
        node: ['memory', memory.id] as const,
        score: rounded(score),
      })),
      ...concepts.slice(0, conceptsMax).map((node) => ({ node: nodeOf(node), score: rounded(node.score) })),
    ],
  };
}
