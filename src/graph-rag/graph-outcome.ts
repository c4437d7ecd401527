import type { ExploredGraph } from '../domain/graph/explore-graph.ts';
import type { ConceptName, GraphNode, NodeKind } from '../domain/graph/graph-store.ts';
import type { RankedGraph } from '../domain/graph/rank-graph.ts';
import type { Memory } from '../domain/memories/memory.ts';
import type { EpochMs } from '../domain/shared/time.ts';
import type { BranchFailure, SearchMethod } from '../search/request.ts';
import type { QuerySeed } from './graph-seeds.ts';

export interface GraphRequest {
  readonly query: string;
  /** Maximum number of steps along links, 1 to 5. */
  readonly maxDepth: number;
  /** 1 to 100. */
  readonly limit: number;
  /** Whether relationships between memories are followed and returned. */
  readonly includeRelationships: boolean;
}

export interface RelatedMemory {
  readonly id: string;
  /**
   * Type of the relationship. Without one, the kind of what
   * both share: shared-topic, shared-entity or shared-fact.
   */
  readonly relationshipType: string;
  /** Direction of the relationship, seen from the result. */
  readonly direction?: 'outgoing' | 'incoming';
  /** Names of shared topics, entities and facts, at most 3. */
  readonly via: readonly string[];
  /** 0 to 1. */
  readonly strength: number;
  readonly preview: string;
}

export interface GraphHit {
  readonly memory: Memory;
  /** Relevance in the search, plus a part of the rest by the walk: 0 to 1. */
  readonly score: number;
  /** Id of the memory that replaces it or a part of it; before it, if both are results. */
  readonly newer?: string;
  readonly topics: readonly ConceptName[];
  readonly entities: readonly ConceptName[];
  readonly relatedMemories: readonly RelatedMemory[];
  /** Sentences extracted from the memory. */
  readonly answer: string;
  /** The memory's relevance in the search, 0 to 1; 0 if only links lead to it. */
  readonly confidence: number;
}

export interface GraphOutcome {
  readonly queryId: string;
  readonly request: GraphRequest;
  readonly at: EpochMs;
  readonly hits: readonly GraphHit[];
  readonly method: SearchMethod;
  readonly relevanceFloor: number;
  readonly branchFailures: readonly BranchFailure[];
}

/** A node of a trace, by its kind and id. */
export type TraceNode = readonly [kind: NodeKind, id: string];

/** Record of a query's run, in ids and numbers. */
export interface GraphTrace {
  readonly request: GraphRequest;
  readonly method: SearchMethod;
  readonly seeds: readonly {
    readonly node: TraceNode;
    readonly by: 'search' | 'name';
    readonly weight: number;
    readonly score?: number;
  }[];
  readonly steps: readonly {
    readonly depth: number;
    readonly expanded: number;
    readonly leftOut: number;
    readonly links: number;
  }[];
  /** The edges with the highest flow, at most 200. */
  readonly edges: readonly {
    readonly from: TraceNode;
    readonly to: TraceNode;
    readonly type: string;
    readonly confidence: number;
    readonly flow: number;
  }[];
  /** Scores of the results, and of the topics, entities and facts with the highest scores. */
  readonly scores: readonly { readonly node: TraceNode; readonly score: number }[];
}

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
/** Five digits are enough. */
const rounded = (value: number) => Number(value.toPrecision(5));

/**
 * Record of a query's run, in ids and numbers. It contains
 * no text of a memory, so that no text outlives its memory.
 */
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
    edges: ranked.links.map(({ a, b, type, confidence, flow }) => ({
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
