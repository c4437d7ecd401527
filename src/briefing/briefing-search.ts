import type { MemoryFilter, SearchRequest } from '../retrieval/request.ts';
import { searchDefaults } from '../retrieval/search-defaults.ts';

/** A hybrid search for a briefing: current memories, best first. */
export function briefingSearch(query: string, limit: number, filter: Partial<MemoryFilter>): SearchRequest {
  return { ...searchDefaults, query, limit, filter: { ...searchDefaults.filter, ...filter } };
}
