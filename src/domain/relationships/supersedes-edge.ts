import { newId } from '../../lib/new-id.ts';
import type { Memory } from '../memories/memory.ts';
import type { Relationship } from './relationship.ts';

/** The edge by which a memory just written replaces another; stated by hand unless `edge` says otherwise. */
export function newSupersedes(
  source: Memory,
  targetMemoryId: string,
  edge: Partial<Relationship>,
): Relationship {
  return {
    id: newId(),
    sourceMemoryId: source.id,
    targetMemoryId,
    type: 'SUPERSEDES',
    confidence: 1,
    creationMethod: 'manual',
    reason: null,
    createdAt: source.updatedAt,
    ...edge,
  };
}
