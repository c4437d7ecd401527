import type { Route } from '../../route-plugin.ts';
import { addMemoryToNarrative } from './add-memory-to-narrative.ts';
import { createNarrative } from './create-narrative.ts';
import { deleteNarrative } from './delete-narrative.ts';
import { getNarrative } from './get-narrative.ts';
import { getNarrativeTimeline } from './get-narrative-timeline.ts';
import { listNarratives } from './list-narratives.ts';
import { removeMemoryFromNarrative } from './remove-memory-from-narrative.ts';
import { updateNarrative } from './update-narrative.ts';

export const narrativeRoutes: readonly Route[] = [
  listNarratives,
  createNarrative,
  getNarrative,
  updateNarrative,
  deleteNarrative,
  addMemoryToNarrative,
  removeMemoryFromNarrative,
  getNarrativeTimeline,
];
