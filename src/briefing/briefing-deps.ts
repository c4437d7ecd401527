import type { RuleJudge } from '../domain/patterns/rule-judge.ts';
import type { ProseWriter } from '../domain/prose/prose-writer.ts';
import type { Stores } from '../domain/shared/stores.ts';
import type { Clock } from '../lib/clock.ts';
import { type SearchHit, type SearchOutcome, type SearchRequest, searchDefaults } from '../search/request.ts';
import type { Search } from '../search/search-port.ts';
import type { MemoryFilter } from '../search-index/memory-filter.ts';

/** The readers that a briefing needs. */
export interface BriefingDeps {
  readonly search: Search;
  readonly stores: Stores;
  readonly clock: Clock;
  /** Undefined if no LLM is configured. */
  readonly proseWriter?: ProseWriter;
  /** Undefined if no LLM is configured. */
  readonly ruleJudge?: RuleJudge;
}

/** A hybrid search for a briefing: current memories, best first. */
export function briefingSearch(query: string, limit: number, filter: Partial<MemoryFilter>): SearchRequest {
  return { ...searchDefaults, query, limit, filter: { ...searchDefaults.filter, ...filter } };
}

/** If a hit is above the floor, others are used from this share of the floor on: paraphrases have low relevance. */
const floorShare = 1 / 3;

/** Hits about the query: none if the best is below the floor; all of a search without a query or for a time. */
export function knownHits({ hits, bestRelevance, timeRead, relevanceFloor }: SearchOutcome): SearchHit[] {
  if (bestRelevance === null || timeRead) return [...hits];
  if (bestRelevance < relevanceFloor) return [];
  return hits.filter(({ relevance }) => (relevance ?? 1) >= relevanceFloor * floorShare);
}
