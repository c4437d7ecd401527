import type { Route } from '../../route-plugin.ts';
import { createArtifact } from './create-artifact.ts';
import { deleteArtifact } from './delete-artifact.ts';
import { getArtifactById } from './get-artifact-by-id.ts';
import { listArtifacts } from './list-artifacts.ts';
import { updateArtifact } from './update-artifact.ts';

export const artifactRoutes: readonly Route[] = [
  listArtifacts,
  createArtifact,
  getArtifactById,
  updateArtifact,
  deleteArtifact,
];
