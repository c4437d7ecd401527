import { type Static, Type } from 'typebox';
import type { EvidenceTexts } from '../../domain/relationships/evidence-texts.ts';
import {
  creationMethods,
  type Relationship,
  relationshipTypes,
} from '../../domain/relationships/relationship.ts';
import { toIso } from '../../domain/shared/time.ts';
import { component } from './component.ts';
import { oneOf } from './query.ts';

export const EvidenceSchema = Type.Object(
  {
    earlier: Type.String({ description: 'The words of the target; at most 500 characters.' }),
    later: Type.String({ description: 'The words of the source.' }),
  },
  component('RelationshipEvidence'),
);

export const RelationshipSchema = Type.Object(
  {
    id: Type.String(),
    sourceMemoryId: Type.String({
      description: 'Replaces, comes after, solves, contradicts, points to or repeats …',
    }),
    targetMemoryId: Type.String({ description: '… this one.' }),
    type: oneOf(relationshipTypes, component('RelationshipType')),
    confidence: Type.Number(),
    creationMethod: oneOf(creationMethods, component('CreationMethod')),
    reason: Type.Optional(Type.String()),
    evidence: Type.Optional(EvidenceSchema),
    createdAt: Type.String(),
  },
  component('MemoryRelationship'),
);

export function toRelationshipRecord(
  relationship: Relationship,
  evidence?: EvidenceTexts,
): Static<typeof RelationshipSchema> {
  return {
    id: relationship.id,
    sourceMemoryId: relationship.sourceMemoryId,
    targetMemoryId: relationship.targetMemoryId,
    type: relationship.type,
    confidence: relationship.confidence,
    creationMethod: relationship.creationMethod,
    reason: relationship.reason ?? undefined,
    evidence,
    createdAt: toIso(relationship.createdAt),
  };
}
