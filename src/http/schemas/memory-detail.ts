import { type Static, Type } from 'typebox';
import { embeddingStatuses } from '../../domain/embedding/embedding-progress.ts';
import { creationMethods, relationshipTypes } from '../../domain/relationships/relationship.ts';
import { component } from './component.ts';
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

export const EntitySchema = Type.Object({ name: Type.String(), type: Type.String() }, component('Entity'));
/** A fact as it is shown with a memory that it was drawn from. */
export const FactOfMemorySchema = Type.Object(
  {
    id: Type.String(),
    subject: Type.String(),
    predicate: Type.String(),
    object: Type.String(),
    confidence: Type.Number(),
  },
  component('MemoryFact'),
);

/** A memory with what its level of detail adds. */
export const DetailedMemorySchema = Type.Object(
  {
    ...memoryFields,
    embeddingStatus: Type.Optional(
      oneOf(embeddingStatuses, {
        description: 'How far its vectors are; skipped: the service makes none. Not with detail minimal.',
      }),
    ),
    embeddingTruncated: Type.Optional(
      Type.Boolean({ description: 'Whether the model read only the beginning of the text as a whole.' }),
    ),
    userTopics: Type.Optional(Type.Array(Type.String())),
    extractedTopics: Type.Optional(Type.Array(Type.String())),
    entities: Type.Optional(Type.Array(EntitySchema)),
    facts: Type.Optional(Type.Array(FactOfMemorySchema)),
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

export type RelationRecord = Static<typeof RelationSchema>;
export type DetailedMemoryRecord = Static<typeof DetailedMemorySchema>;
