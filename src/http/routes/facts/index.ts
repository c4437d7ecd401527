import type { Route } from '../../route-plugin.ts';
import { createFact } from './create-fact.ts';
import { deleteFact } from './delete-fact.ts';
import { getFactById } from './get-fact-by-id.ts';
import { listFacts } from './list-facts.ts';
import { searchFacts } from './search-facts.ts';
import { updateFact } from './update-fact.ts';

export const factRoutes: readonly Route[] = [
  listFacts,
  createFact,
  getFactById,
  updateFact,
  deleteFact,
  searchFacts,
];
