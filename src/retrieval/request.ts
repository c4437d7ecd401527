import type { EntityOfMemory } from '../domain/entities/entity.ts';
import type { EntityType } from '../domain/entities/entity-type.ts';
import type { FactOfMemory } from '../domain/facts/fact.ts';
import type { Memory, MemoryType, Outcome } from '../domain/memories/memory.ts';
import type { MetadataValue } from '../domain/memories/metadata.ts';
import type { EpochMs } from '../domain/shared/time.ts';

export const searchMethods = ['keyword', 'semantic', 'hybrid'] as const;
export type SearchMethod = (typeof searchMethods)[number];

export const searchModes = ['unified', 'content', 'facts'] as const;
export type SearchMode = (typeof searchModes)[number];

export const searchSorts = ['relevance', 'createdAt', 'updatedAt', 'eventTime'] as const;
export type SearchSort = (typeof searchSorts)[number];

export const temporalModes = ['current', 'historical', 'evolution'] as const;
/** Evolution answers all versions of what matched, and the memories that supersede each other around it. */
export type TemporalMode = (typeof temporalModes)[number];

export const scopeKeys = ['product', 'service', 'team', 'role'] as const;
export type ScopeKey = (typeof scopeKeys)[number];

/** A value that metadata must have under a path: names of nested members joined by dots. */
export interface MetadataTest {
  readonly path: string;
  readonly values: readonly MetadataValue[];
}

/** Which memories may be answered. Absent members let everything pass; all ranges are inclusive. */
export interface MemoryFilter {
  /** Any of these topics (normalised comparison). */
  readonly topics?: readonly string[];
  /** None of these topics. */
  readonly excludeTopics?: readonly string[];
  readonly memoryType?: MemoryType;
  readonly conversationId?: string;
  readonly createdFrom?: EpochMs;
  readonly createdTo?: EpochMs;
  /** Event time, or ingestion time where a memory has none. */
  readonly eventFrom?: EpochMs;
  readonly eventTo?: EpochMs;
  /** Every pair must equal that of the memory's codeContext. */
  readonly scope?: Readonly<Partial<Record<ScopeKey, string>>>;
  /** All of these, each satisfied by any of its values. */
  readonly metadata?: readonly MetadataTest[];
  readonly taskId?: string;
  readonly externalId?: string;
  readonly outcome?: Outcome | 'any';
  /** At least 6 characters of the id. */
  readonly idPrefix?: string;
  /** Memories as they stood at this time; absent: as they are. */
  readonly asOf?: EpochMs;
  /** Only what was valid at this time. */
  readonly validAt?: EpochMs;
  /** Not what had ceased to be valid by this time, nor what is said to become valid later (`validFrom`). */
  readonly currentAt?: EpochMs;
  /** False hides superseded and contradicted memories. */
  readonly includeSuperseded: boolean;
}

export interface MemoryOrder {
  readonly sortBy: SearchSort;
  readonly order: 'asc' | 'desc';
}

/** A search as asked for, the same whether it came by GET or POST. */
export interface SearchRequest extends MemoryOrder {
  /** Absent: browse by filter. */
  readonly query?: string;
  readonly method: SearchMethod;
  readonly mode: SearchMode;
  readonly limit: number;
  readonly offset: number;
  readonly filter: MemoryFilter;
  readonly temporalMode: TemporalMode;
  /** Similarity, 0 to 1, that a memory found by meaning must reach. */
  readonly threshold: number;
  /** What meaning and words give is multiplied by this share of its default; 0 switches it off. */
  readonly vectorWeight: number;
  readonly fulltextWeight: number;
  /** By name of an arm over what was derived, switched on by being here, its weight from 0 to 1; 0 switches it off. */
  readonly expand?: Readonly<Partial<Record<Expansion, number>>>;
  /** 0 to 1: the share of its effect that search feedback has; absent: 1, all of it. */
  readonly feedbackWeight?: number;
  /** False: words of a time count as words; absent: they are read as times. */
  readonly readsTimes?: boolean;
  /** 0 to 1: how much the newer of two results on the same matter gains; absent: 0, nothing. */
  readonly recency?: number;
  /** 0 to 1: hits of less relevance are left out; absent: 0, none. No effect without a query. */
  readonly minRelevance?: number;
  /** False hides memories whose validity has ended. */
  readonly includeExpired: boolean;
  /** False judges every memory alone, without its conversation. */
  readonly context: boolean;
  readonly explain: boolean;
  readonly includeFacets: boolean;
  /** Adds to each hit the facts of its memory, what it mentions, and the topics that were derived from it. */
  readonly includeFacts?: boolean;
  readonly includeEntities?: boolean;
  readonly includeTopics?: boolean;
  /** The only types of entities that `includeEntities` adds. */
  readonly entityTypes?: readonly EntityType[];
}

/** The weights that mean "as in `shippedWeights`": vectors and words as tuned, the others as chosen. */
export const weightDefaults = { vector: 0.7, fulltext: 0.3, entity: 0.7, topic: 0.5, fact: 0.6 } as const;

/** Arms over what was derived from memories. */
export const expansions = ['entity', 'topic', 'fact'] as const;
export type Expansion = (typeof expansions)[number];

export interface Explanation {
  readonly matchReason: string;
  readonly matchedTerms: readonly string[];
  readonly contributingFactors: readonly string[];
}

export interface SearchHit {
  readonly memory: Memory;
  /** At most 200 characters, cut around the match. */
  readonly preview: string;
  /** 0 and up, comparable within one answer only; null when browsing. */
  readonly score: number | null;
  /** 0 to 1, comparable across queries and methods: 0.5 where it is as often right as not; null when browsing. */
  readonly relevance: number | null;
  readonly fulltextScore: number | null;
  readonly fulltextRank: number | null;
  /** Similarity in meaning, 0 to 1; null where it was not looked at or is below the threshold. */
  readonly vectorScore: number | null;
  readonly vectorRank: number | null;
  readonly matchedVia: readonly string[];
  readonly branchScores: Readonly<Record<string, number>>;
  readonly explanation?: Explanation;
  /** With `includeFacts`; where facts were searched, those of the memory that match, best first. */
  readonly facts?: readonly FactOfMemory[];
  /** With `includeEntities`. */
  readonly entities?: readonly EntityOfMemory[];
  /** With `includeTopics`. */
  readonly extractedTopics?: readonly string[];
}

export interface FacetCount {
  readonly value: string;
  readonly count: number;
}

export interface Facets {
  readonly topics: readonly FacetCount[];
  readonly memoryType: readonly FacetCount[];
  readonly effectiveState: readonly FacetCount[];
}

/** An arm of a search that gave nothing, in the words that clients know. */
export interface BranchFailure {
  /** Of the arm. */
  readonly name: string;
  readonly status: 'timeout' | 'error';
  readonly reason: 'timeout' | 'connection' | 'provider_error';
}

/** A stretch of time that a query speaks of: `from` inclusive, `to` exclusive. */
export interface TimeRead {
  /** As it stands in the query. */
  readonly text: string;
  readonly from: EpochMs;
  readonly to: EpochMs;
}

export interface SearchOutcome {
  readonly hits: readonly SearchHit[];
  /** All matches, not only those on this page. */
  readonly total: number;
  /** The highest relevance of the best ten matches, whether or not they are on this page; 0 for no match, null when browsing. */
  readonly bestRelevance: number | null;
  /** The method that answered, which is not always the one asked for. */
  readonly method: SearchMethod;
  /** Arms that gave nothing; the others answered. */
  readonly branchFailures: readonly BranchFailure[];
  readonly facets?: Facets;
  /** What the query says of a time, in the order of the query; absent where it says nothing. */
  readonly timeRead?: readonly TimeRead[];
  /** False if no memory is of the times read, so that the results are of other times. */
  readonly hasTimeRead?: boolean;
  /** With `mode=facts`: facts that match and that no memory states, the best first. */
  readonly factsWithoutMemory?: readonly FactOfMemory[];
  /** See `Page`. */
  readonly nextOffset?: number;
}
