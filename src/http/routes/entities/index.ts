import type { Route } from '../../route-plugin.ts';
import { deleteEntity } from './delete-entity.ts';
import { getEntityById } from './get-entity-by-id.ts';
import { getEntityMemories } from './get-entity-memories.ts';
import { getGraphHealth } from './get-graph-health.ts';
import { listEntities } from './list-entities.ts';
import { mergeEntities } from './merge-entities.ts';
import { unmergeEntity } from './unmerge-entity.ts';
import { updateEntity } from './update-entity.ts';

export const entityRoutes: readonly Route[] = [
  listEntities,
  getGraphHealth,
  getEntityById,
  getEntityMemories,
  updateEntity,
  deleteEntity,
  mergeEntities,
  unmergeEntity,
];
