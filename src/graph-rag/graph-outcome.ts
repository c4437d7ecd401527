import type { ConceptName, NodeKind } from '../domain/graph/graph-store.ts';
import type { Memory } from '../domain/memories/memory.ts';
import type { EpochMs } from '../domain/shared/time.ts';
import type { BranchFailure, SearchMethod } from '../search/request.ts';

export interface GraphRequest {
  readonly query: string;
  /** Steps along links, 1 to 5. */
  readonly maxDepth: number;
  /** 1 to 100. */
  readonly limit: number;
  /** Whether relationships between memories are followed and given. */
  readonly includeRelationships: boolean;
}

export interface RelatedMemory {
  readonly id: string;
  /** The type of a relationship, else what both have: shared-topic, shared-entity, shared-fact. */
  readonly relationshipType: string;
  /** Of a relationship, seen from the result. */
  readonly direction?: 'outgoing' | 'incoming';
  /** Names of what both have, at most 3. */
  readonly via: readonly string[];
  /** 0 to 1. */
  readonly strength: number;
  readonly preview: string;
}

export interface GraphHit {
  readonly memory: Memory;
  /** Personalised PageRank by that of the best memory, 0 to 1. */
  readonly score: number;
  readonly topics: readonly ConceptName[];
  readonly entities: readonly ConceptName[];
  readonly relatedMemories: readonly RelatedMemory[];
  /** Sentences of the memory. */
  readonly answer: string;
  /** Share of the query's terms that it has, or its similarity where that is more: 0 to 1. */
  readonly confidence: number;
}

export interface GraphOutcome {
  readonly queryId: string;
  readonly request: GraphRequest;
  readonly at: EpochMs;
  readonly hits: readonly GraphHit[];
  readonly method: SearchMethod;
  readonly branchFailures: readonly BranchFailure[];
}

/** A node of a trace, by its kind and id. */
export type TraceNode = readonly [kind: NodeKind, id: string];

/** What a query did, in ids and numbers. */
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
  /** Those that carried the most, at most 200. */
  readonly edges: readonly {
    readonly from: TraceNode;
    readonly to: TraceNode;
    readonly type: string;
    readonly confidence: number;
    readonly flow: number;
  }[];
  /** Of the results, and of the topics, entities and facts that had the most. */
  readonly scores: readonly { readonly node: TraceNode; readonly score: number }[];
}
