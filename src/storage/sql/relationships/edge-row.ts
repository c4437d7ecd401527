import type {
  CreationMethod,
  Relationship,
  RelationshipEvidence,
  RelationshipType,
} from '../../../domain/relationships/relationship.ts';
import type { MemoryEdgesTable } from '../core/schema.ts';

export type EdgeRow = Omit<MemoryEdgesTable, 'user_id' | 'removed_at' | 'withdrawn'>;

export const edgeColumns = [
  'memory_edges.id',
  'memory_edges.source_id',
  'memory_edges.target_id',
  'memory_edges.type',
  'memory_edges.confidence',
  'memory_edges.creation_method',
  'memory_edges.reason',
  'memory_edges.created_at',
  'memory_edges.seq',
  'memory_edges.evidence',
] as const;

export function toRelationship(row: EdgeRow): Relationship {
  return {
    id: row.id,
    sourceMemoryId: row.source_id,
    targetMemoryId: row.target_id,
    type: row.type as RelationshipType,
    confidence: row.confidence,
    creationMethod: row.creation_method as CreationMethod,
    reason: row.reason,
    createdAt: row.created_at,
    ...(row.evidence === null ? {} : { evidence: toEvidence(row.evidence) }),
  };
}

/** Numbers only, as they were written; see `RelationshipEvidence`. */
export const toEvidence = (text: string) => JSON.parse(text) as RelationshipEvidence;
