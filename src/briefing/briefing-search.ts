import type { MemoryFilter, SearchRequest } from '../retrieval/request.ts';
import { searchDefaults } from '../retrieval/search-defaults.ts';

/** A search by words and meaning for a briefing: what holds now, best first. */
export function briefingSearch(query: string, limit: number, filter: Partial<MemoryFilter>): SearchRequest {
  return { ...searchDefaults, query, limit, filter: { ...searchDefaults.filter, ...filter } };
}
