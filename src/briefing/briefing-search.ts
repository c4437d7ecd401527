import type { SearchRequest } from '../search/request.ts';
import { searchDefaults } from '../search/search-defaults.ts';
import type { MemoryFilter } from '../search-index/memory-filter.ts';

/** A hybrid search for a briefing: current memories, best first. */
export function briefingSearch(query: string, limit: number, filter: Partial<MemoryFilter>): SearchRequest {
  return { ...searchDefaults, query, limit, filter: { ...searchDefaults.filter, ...filter } };
}
