import type { Conversation } from '../domain/conversations/conversation.ts';
import type { Fact } from '../domain/facts/fact.ts';
import type { Memory } from '../domain/memories/memory.ts';
import type { Page, PageRequest } from '../domain/shared/page.ts';
import type { BarUnit, EpochMs } from '../domain/shared/time.ts';
import type { UserRef } from '../domain/shared/user-ref.ts';
import type { Topic } from '../domain/topics/topic.ts';
import type { MemoryFilter } from '../search-index/memory-filter.ts';
import type { MemoryOrder, SearchOutcome, SearchRequest } from './request.ts';

export interface BrowseRequest extends PageRequest, MemoryOrder {
  readonly filter: MemoryFilter;
}

interface ConversationHit {
  readonly conversation: Conversation;
  readonly score: number;
}

export interface ConversationHits {
  /** Best first. */
  readonly hits: readonly ConversationHit[];
  /** Number of all matches. */
  readonly total: number;
}

export interface FactSearchRequest {
  readonly query: string;
  readonly limit: number;
  /** Absent: only facts that hold now. */
  readonly includeSuperseded?: boolean;
}

export interface FactHits {
  /** Best first. */
  readonly facts: readonly Fact[];
  /** Number of all matches, including those not returned. */
  readonly total: number;
  /** The method that was used. */
  readonly method: 'hybrid' | 'keyword';
}

export interface TopicHit {
  readonly topic: Topic;
  /** 0 to 1; 1 if the query equals a name or an alias. */
  readonly score: number;
}

export interface SimilarTopic {
  readonly topic: Topic;
  /** Similarity of the names, 0 to 1. */
  readonly similarity: number;
}

export interface NeighbourRequest {
  readonly before: number;
  readonly after: number;
}

export interface BarsRequest {
  readonly filter: MemoryFilter;
  readonly field: MemoryOrder['sortBy'];
  /** The default is the finest one that a chart shows well. */
  readonly unit?: BarUnit;
  /** Of the IANA database; days, weeks and months begin at its midnight. */
  readonly timeZone: string;
}

/** Memories from a time, until before another one. */
export interface TimeBar {
  readonly from: EpochMs;
  readonly to: EpochMs;
  readonly count: number;
}

export interface TimeBucket {
  readonly bucket: string;
  readonly count: number;
}

export interface RelatedHit {
  readonly memory: Memory;
  /** Share of topics in common: shared / union, 0 to 1. */
  readonly score: number;
  readonly sharedTopics: readonly string[];
}

/** The best first; `isFull` if others were left out because the page reached its limit of bytes. */
export interface Hits<T> {
  readonly hits: readonly T[];
  readonly isFull: boolean;
}

/** `score` is a similarity, 0.5 to 1; without semantic search it is the share of topics in common. */
export interface SimilarHits extends Hits<RelatedHit> {
  readonly byVectors: boolean;
}

/** In order of time; `isFull` if the farthest were left out because the page reached its limit of bytes. */
export interface Around {
  readonly preceding: readonly Memory[];
  readonly following: readonly Memory[];
  readonly isFull: boolean;
}

/**
 * A part of a conversation around a memory; `isFull` if others
 * were left out because the page reached its limit of bytes.
 */
export interface PageAround extends Pick<Page<Memory>, 'items' | 'offset' | 'count'> {
  /** Position of the memory in its conversation, from 1. */
  readonly position: number;
  readonly isFull: boolean;
}

/** Search, for the HTTP layer. Every method works on the memories of one user as last committed. */
export interface Search {
  /** Minimum relevance of what conclusions use, and minimum score of facts and topics that a search for them finds. */
  readonly relevanceFloor: number;
  search(user: UserRef, request: SearchRequest): Promise<SearchOutcome>;
  /** Lists without a query; ties are ordered by `seq`. */
  browse(user: UserRef, request: BrowseRequest): Promise<Page<Memory>>;
  conversations(user: UserRef, query: string, limit: number): Promise<ConversationHits>;
  facts(user: UserRef, request: FactSearchRequest): Promise<FactHits>;
  /**
   * Topics whose names or aliases share words with the query
   * or are semantically near. @throws 422 for a blank query
   */
  topics(user: UserRef, query: string, page: PageRequest): Promise<Page<TopicHit>>;
  /** Other topics with names at least this similar, most similar first, then by name. */
  similarTopics(
    user: UserRef,
    topic: Topic,
    request: { readonly threshold: number; readonly limit: number },
  ): Promise<SimilarTopic[]>;
  /** Similarity of the names of two topics of a user: 0-1, 1 for the same topic. */
  topicSimilarity(a: Topic, b: Topic): Promise<number>;
  /** Memories of a conversation in its order (event time else ingestion time, then writing), a page of them. */
  conversationTimeline(user: UserRef, conversationId: string, page: PageRequest): Promise<Page<Memory>>;
  /**
   * A memory and the `limit` nearest in its conversation; the earlier one of two equally near. None for 0.
   */
  aroundInConversation(user: UserRef, memory: Memory, limit: number): Promise<PageAround>;
  /** All the user's memories around one, by event time else ingestion time; nearest at the inner ends. */
  around(user: UserRef, memory: Memory, request: NeighbourRequest): Promise<Around>;
  /** Other memories that share topics, best share first, then newest. */
  related(user: UserRef, memory: Memory, limit: number): Promise<Hits<RelatedHit>>;
  /** Other semantically similar memories, nearest first. */
  similar(user: UserRef, memory: Memory, limit: number): Promise<SimilarHits>;
  /**
   * Counts of live memories per day, ISO week, month (UTC, by ingestion
   * time) or topic. Oldest bucket first; topics by falling count.
   */
  histogram(
    user: UserRef,
    filter: MemoryFilter,
    groupBy: 'day' | 'week' | 'month' | 'topic',
    limit: number,
  ): Promise<TimeBucket[]>;
  /** Counts of live memories over time, empty bars included, oldest first. @throws 422 */
  timeBars(user: UserRef, request: BarsRequest): Promise<TimeBar[]>;
}
