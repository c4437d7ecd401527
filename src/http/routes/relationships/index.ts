import type { Route } from '../../route-plugin.ts';
import { createRelationship } from './create-relationship.ts';
import { deleteRelationship } from './delete-relationship.ts';
import { detectRelationships } from './detect-relationships.ts';
import { explainRelationship } from './explain-relationship.ts';
import { listRelationships } from './list-relationships.ts';
import { repairEffectiveState } from './repair-effective-state.ts';

export const relationshipRoutes: readonly Route[] = [
  createRelationship,
  listRelationships,
  deleteRelationship,
  detectRelationships,
  explainRelationship,
  repairEffectiveState,
];
