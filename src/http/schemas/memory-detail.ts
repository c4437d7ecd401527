import { type Static, Type } from 'typebox';
import { extractionSkipReasons, extractionStatuses } from '../../domain/derivation/extraction.ts';
import { embeddingStatuses } from '../../domain/embedding/embedding-progress.ts';
import type { FactOfMemory } from '../../domain/facts/fact.ts';
import { creationMethods, relationshipTypes } from '../../domain/relationships/relationship.ts';
import { component } from './component.ts';
import { entityTypeField } from './entity.ts';
import { basisNames, confidenceBasisField } from './fact.ts';
import { memoryFields } from './memory.ts';
import { oneOf } from './query.ts';

export const details = ['minimal', 'standard', 'full'] as const;
export type Detail = (typeof details)[number];

export const detailField = (byDefault: Detail) =>
  Type.Optional(
    oneOf(details, {
      default: byDefault,
      description:
        'standard adds userTopics, extractedTopics, entities, facts and relationships; full adds ' +
        'conversationContext and a preview of each related memory.',
    }),
  );

const RelationSchema = Type.Object(
  {
    id: Type.String(),
    type: oneOf(relationshipTypes, component('RelationshipType')),
    direction: oneOf(['outgoing', 'incoming']),
    targetMemoryId: Type.String({ description: 'The other memory, whatever the direction.' }),
    confidence: Type.Number(),
    creationMethod: oneOf(creationMethods, component('CreationMethod')),
    reason: Type.Optional(Type.String()),
    createdAt: Type.String(),
    targetPreview: Type.Optional(Type.String({ description: 'Detail full only.' })),
  },
  component('MemoryRelation'),
);

const ConversationContextSchema = Type.Object(
  {
    conversationId: Type.String(),
    title: Type.String(),
    position: Type.Integer({ description: 'Place of the memory in its conversation, from 1.' }),
    memoryCount: Type.Integer(),
  },
  component('ConversationContext'),
);

export const EntitySchema = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    type: entityTypeField,
    confidence: Type.Number({ description: '0-1.' }),
  },
  component('Entity'),
);
/** A fact as shown with its source memory. */
export const FactOfMemorySchema = Type.Object(
  {
    id: Type.String(),
    subject: Type.String(),
    predicate: Type.String(),
    object: Type.String(),
    confidence: Type.Number(),
    confidenceBasis: Type.Optional(confidenceBasisField),
    negated: Type.Optional(Type.Boolean({ description: 'True where it says that something is not so.' })),
  },
  component('MemoryFact'),
);

/** A memory with the fields of its level of detail. */
export const DetailedMemorySchema = Type.Object(
  {
    ...memoryFields,
    embeddingStatus: Type.Optional(
      oneOf(embeddingStatuses, {
        description: 'How far its vectors are; skipped: the service makes none. Not with detail minimal.',
      }),
    ),
    extractionStatus: Type.Optional(
      oneOf(extractionStatuses, {
        description: 'How far derivation of entities, facts and topics from it is. Not with detail minimal.',
      }),
    ),
    extractionSkipReason: Type.Optional(
      oneOf(extractionSkipReasons, { description: 'Why nothing is derived from it, where that is skipped.' }),
    ),
    extractionCompletedAt: Type.Optional(Type.String({ description: 'When that was done last.' })),
    embeddingTruncated: Type.Optional(
      Type.Boolean({ description: 'Whether the model read only the beginning of the text as a whole.' }),
    ),
    userTopics: Type.Optional(
      Type.Array(Type.String(), { description: 'Those that were given: the same as topics.' }),
    ),
    extractedTopics: Type.Optional(
      Type.Array(Type.String(), { description: 'Those that were derived from it, the best first.' }),
    ),
    entities: Type.Optional(
      Type.Array(EntitySchema, { description: 'What it mentions, in the order of the text, at most 100.' }),
    ),
    facts: Type.Optional(
      Type.Array(FactOfMemorySchema, { description: 'What it says, the surest first, at most 100.' }),
    ),
    extractedTopicCount: Type.Optional(Type.Integer()),
    extractedEntityCount: Type.Optional(Type.Integer()),
    extractedFactCount: Type.Optional(
      Type.Integer({ description: 'All that were derived, without those that were stated.' }),
    ),
    relationships: Type.Optional(Type.Array(RelationSchema)),
    conflictCount: Type.Optional(
      Type.Integer({
        description: 'Memories that it contradicts; with its relationships, and above 0 only.',
      }),
    ),
    conversationContext: Type.Optional(ConversationContextSchema),
  },
  component('DetailedMemory'),
);

export function toFactOfMemoryRecord(fact: FactOfMemory): Static<typeof FactOfMemorySchema> {
  const { id, subject, predicate, object, confidence, basis, isNegated } = fact;
  return {
    id,
    subject,
    predicate,
    object,
    confidence,
    ...(basis && { confidenceBasis: basisNames[basis] }),
    ...(isNegated && { negated: true }),
  };
}

export type RelationRecord = Static<typeof RelationSchema>;
export type DetailedMemoryRecord = Static<typeof DetailedMemorySchema>;
