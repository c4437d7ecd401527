import { type MemoryFilter, type SearchRequest, weightDefaults } from '../retrieval/request.ts';

/** A search by words and meaning for a briefing: what holds now, best first. */
export function briefingSearch(query: string, limit: number, filter: Partial<MemoryFilter>): SearchRequest {
  return {
    query,
    method: 'hybrid',
    mode: 'unified',
    temporalMode: 'current',
    includeExpired: false,
    threshold: 0.5,
    vectorWeight: weightDefaults.vector,
    fulltextWeight: weightDefaults.fulltext,
    limit,
    offset: 0,
    filter: { includeSuperseded: false, ...filter },
    sortBy: 'relevance',
    order: 'desc',
    context: true,
    explain: false,
    includeFacets: false,
  };
}
