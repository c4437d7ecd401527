import type { EntityOfMemory, EntityType } from '../domain/entities/entity.ts';
import type { FactOfMemory } from '../domain/facts/fact.ts';
import type { Memory } from '../domain/memories/memory.ts';
import type { Passage } from '../domain/passages/passages.ts';
import type { EpochMs } from '../domain/shared/time.ts';
import type { MemoryFilter } from '../search-index/memory-filter.ts';

export const searchMethods = ['keyword', 'semantic', 'hybrid'] as const;
export type SearchMethod = (typeof searchMethods)[number];

export const searchModes = ['unified', 'content', 'facts'] as const;
export type SearchMode = (typeof searchModes)[number];

export const searchSorts = ['relevance', 'createdAt', 'updatedAt', 'eventTime'] as const;
type SearchSort = (typeof searchSorts)[number];

export const temporalModes = ['current', 'historical', 'evolution'] as const;
/** Evolution returns all versions of the matches, and the memories that supersede each other around them. */
export type TemporalMode = (typeof temporalModes)[number];

export interface MemoryOrder {
  readonly sortBy: SearchSort;
  readonly order: 'asc' | 'desc';
}

/** A search request, the same for GET and POST. */
export interface SearchRequest extends MemoryOrder {
  /** Absent: browse by filter. */
  readonly query?: string;
  readonly method: SearchMethod;
  readonly mode: SearchMode;
  readonly limit: number;
  readonly offset: number;
  readonly filter: MemoryFilter;
  readonly temporalMode: TemporalMode;
  /** Minimum similarity, 0 to 1, of a memory found by its vector. */
  readonly threshold: number;
  /** Weights of vectors and words, relative to their defaults; 0 switches them off. */
  readonly vectorWeight: number;
  readonly fulltextWeight: number;
  /** Weights, 0 to 1, of arms over derived data, by name; an absent arm or 0 is off. */
  readonly expand?: Readonly<Partial<Record<Expansion, number>>>;
  /** Strength of search feedback, 0 to 1; absent: 1. */
  readonly feedbackWeight?: number;
  /** False: words of a time count as words; absent: they are read as times. */
  readonly readsTimes?: boolean;
  /** Bonus, 0 to 1, for the newer of two results on the same subject; absent: 0. */
  readonly recency?: number;
  /** Minimum relevance of hits, 0 to 1; absent: 0. No effect without a query. */
  readonly minRelevance?: number;
  /** False hides memories whose validity has ended. */
  readonly includeExpired: boolean;
  /** False judges every memory alone, without its conversation. */
  readonly context: boolean;
  readonly explain: boolean;
  /** Id of a memory: the response explains its rank, or the reason for its absence. */
  readonly explainId?: string;
  readonly includeFacets: boolean;
  /** Adds to each hit the facts of its memory, its entities, and its derived topics. */
  readonly includeFacts?: boolean;
  readonly includeEntities?: boolean;
  readonly includeTopics?: boolean;
  /** The only types of entities that `includeEntities` adds. */
  readonly entityTypes?: readonly EntityType[];
}

/**
 * Default weights, at which `shippedWeights` apply unchanged:
 * vectors and words as tuned, the others as chosen.
 */
export const weightDefaults = { vector: 0.7, fulltext: 0.3, entity: 0.7, topic: 0.5, fact: 0.6 } as const;

/** Arms over data derived from memories. */
export const expansions = ['entity', 'topic', 'fact'] as const;
export type Expansion = (typeof expansions)[number];

/** The share of one feature in the score of a hit; below 0 if it counts against it. */
export interface ScorePart {
  /** Signal and part, such as `words.before`. */
  readonly key: string;
  readonly label: string;
  readonly value: number;
}

export interface Explanation {
  readonly matchReason: string;
  readonly matchedTerms: readonly string[];
  readonly contributingFactors: readonly string[];
  /** Those other than 0, the largest first, whatever their signs; they add up to the score. */
  readonly parts: readonly ScorePart[];
}

export interface SearchHit {
  readonly memory: Memory;
  /** At most 200 characters, cut around the match. */
  readonly preview: string;
  /** Of a long text: the passage that answers best, and a second one if it answers nearly as well. */
  readonly passages?: readonly Passage[];
  /** The query's words in the passage, or in a text that is longer than a preview; in order, at most 20. */
  readonly highlights?: readonly { readonly start: number; readonly end: number }[];
  /** At least 0, comparable within one response only; null when browsing. */
  readonly score: number | null;
  /**
   * 0 to 1, comparable across queries and methods: at 0.5, half of the hits are right; null when browsing.
   */
  readonly relevance: number | null;
  readonly fulltextScore: number | null;
  readonly fulltextRank: number | null;
  /** Semantic similarity, 0 to 1; null if not compared or below the threshold. */
  readonly vectorScore: number | null;
  readonly vectorRank: number | null;
  readonly matchedVia: readonly string[];
  readonly branchScores: Readonly<Record<string, number>>;
  /** Id of the live memory that supersedes or contradicts this one or a part of it, the last written of several. */
  readonly newer?: string;
  /** True if it is unresolved by its own outcome and another memory resolves it. */
  readonly isResolved?: boolean;
  readonly explanation?: Explanation;
  /** With `includeFacts`; in a search for facts, the matching facts of the memory, best first. */
  readonly facts?: readonly FactOfMemory[];
  /** With `includeEntities`. */
  readonly entities?: readonly EntityOfMemory[];
  /** With `includeTopics`. */
  readonly extractedTopics?: readonly string[];
}

export interface FacetCount {
  readonly value: string;
  readonly count: number;
  /** The name of the entity or the title of the conversation whose id `value` is. */
  readonly label?: string;
  /** True for a topic that was only derived from texts; absent for all others. */
  readonly derived?: true;
}

export interface Facets {
  readonly topics: readonly FacetCount[];
  readonly memoryType: readonly FacetCount[];
  readonly effectiveState: readonly FacetCount[];
  readonly entityId: readonly FacetCount[];
  readonly conversationId: readonly FacetCount[];
  readonly role: readonly FacetCount[];
  readonly createdBy: readonly FacetCount[];
}

export const explainedStatuses = [
  'found',
  'notOnPage',
  'belowRelevance',
  'unmatched',
  'filtered',
  'notKnownYet',
  'inTrash',
  'unknown',
] as const;

/** How one memory went through a search: as far as `status` says. */
export interface Explained {
  readonly memoryId: string;
  readonly status: (typeof explainedStatuses)[number];
  /** Sentences for people. */
  readonly reason: string;
  /** Place among all results in their order, from 1. */
  readonly rank?: number;
  readonly score?: number;
  /** Score of the last result on the page, which it lacks if it comes later. */
  readonly lastScore?: number;
  readonly relevance?: number;
  /** The filters that leave it out, each by itself. */
  readonly filters?: readonly { readonly filter: string; readonly reason: string }[];
  /** The arms that were run, by their name in `matchedVia`. */
  readonly arms?: readonly ExplainedArm[];
  /** Words of the query that it has not, in no form and no correction. */
  readonly missingWords?: readonly string[];
  readonly explanation?: Explanation;
}

export interface ExplainedArm {
  readonly arm: string;
  readonly found: boolean;
  /** Place among all that the arm found; absent for arms without ranks. */
  readonly rank?: number;
  readonly reason: string;
}

/** A failed arm of a search, in terms of the API. */
export interface BranchFailure {
  /** Name of the arm. */
  readonly name: string;
  readonly status: 'timeout' | 'error';
  readonly reason: 'timeout' | 'connection' | 'provider_error';
}

/** A time that the query names: `from` inclusive, `to` exclusive. */
interface TimeRead {
  /** The words in the query. */
  readonly text: string;
  readonly from: EpochMs;
  readonly to: EpochMs;
}

export interface SearchOutcome {
  readonly hits: readonly SearchHit[];
  /** All matches, not only those on this page. */
  readonly total: number;
  /**
   * The highest relevance of the best ten matches, on this page or not; 0 for no match, null when browsing.
   */
  readonly bestRelevance: number | null;
  /** The relevance from which on a hit is about the query: the setting of the service. */
  readonly relevanceFloor: number;
  /** The method used, which may differ from the requested one. */
  readonly method: SearchMethod;
  /** Arms that failed; the response is from the others. */
  readonly branchFailures: readonly BranchFailure[];
  readonly facets?: Facets;
  /** With `explainId`. */
  readonly explained?: Explained;
  /** Times in the query, in its order; absent if there are none. */
  readonly timeRead?: readonly TimeRead[];
  /** False if no memory is of these times, so that the results are of other times. */
  readonly hasTimeRead?: boolean;
  /** With `mode=facts`: matching facts that no memory states, best first. */
  readonly factsWithoutMemory?: readonly FactOfMemory[];
  /** See `Page`. */
  readonly nextOffset?: number;
}

/** Hits about the query, which conclusions may use: of at least the floor, or all of a search without a query. */
export function hitsAboveFloor({
  hits,
  relevanceFloor,
}: Pick<SearchOutcome, 'hits' | 'relevanceFloor'>): SearchHit[] {
  return hits.filter(({ relevance }) => relevance === null || relevance >= relevanceFloor);
}

/** Defaults of a search: hybrid, over memories and facts, of current state. */
export const searchDefaults = {
  method: 'hybrid',
  mode: 'unified',
  temporalMode: 'current',
  includeExpired: false,
  threshold: 0.5,
  vectorWeight: weightDefaults.vector,
  fulltextWeight: weightDefaults.fulltext,
  offset: 0,
  filter: { includeSuperseded: false },
  sortBy: 'relevance',
  order: 'desc',
  context: true,
  explain: false,
  includeFacets: false,
} as const satisfies Partial<SearchRequest>;
