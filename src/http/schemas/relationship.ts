import { type Static, Type } from 'typebox';
import type { EvidenceTexts } from '../../domain/relationships/found-relationship.ts';
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
      description: 'The memory that replaces, follows, solves, contradicts, refers to or repeats the target.',
    }),
    targetMemoryId: Type.String({ description: 'The target.' }),
    type: oneOf(relationshipTypes, component('RelationshipType')),
    confidence: Type.Number(),
    creationMethod: oneOf(creationMethods, component('CreationMethod')),
    reason: Type.Optional(Type.String()),
    evidence: Type.Optional(EvidenceSchema),
    keepsState: Type.Optional(
      Type.Boolean({
        description:
          'The target keeps its effectiveState: only a part of it is outdated (its outdatedParts), or a text is too ' +
          'short to decide.',
        examples: [true],
      }),
    ),
    createdAt: Type.String(),
    acceptedAt: Type.Optional(
      Type.String({ description: 'When a person accepted what was found; derivation keeps it.' }),
    ),
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
    keepsState: relationship.evidence?.keepsState,
    createdAt: toIso(relationship.createdAt),
    acceptedAt: relationship.acceptedAt === undefined ? undefined : toIso(relationship.acceptedAt),
  };
}
