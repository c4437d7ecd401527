import { type SearchRequest, weightDefaults } from './request.ts';

/** If the best result of a query is below this relevance, no memory is about the query. */
export const relevanceFloor = 0.1;

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
