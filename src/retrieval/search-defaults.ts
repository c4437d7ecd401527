import { type SearchRequest, weightDefaults } from './request.ts';

/** Relevance below which the best result of a query says that nothing is known about it. */
export const relevanceFloor = 0.1;

/** A search as it is unless the request says otherwise: hybrid, over memories and facts, of what holds now. */
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
