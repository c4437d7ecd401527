import { type SearchRequest, weightDefaults } from '../retrieval/request.ts';

/** A search as agents want it unless they say otherwise: hybrid, of what holds now. */
export const searchDefaults = {
  method: 'hybrid',
  mode: 'unified',
  temporalMode: 'current',
  includeExpired: false,
  threshold: 0.5,
  vectorWeight: weightDefaults.vector,
  fulltextWeight: weightDefaults.fulltext,
  offset: 0,
  sortBy: 'relevance',
  order: 'desc',
  context: true,
  explain: false,
  includeFacets: false,
} as const satisfies Partial<SearchRequest>;
