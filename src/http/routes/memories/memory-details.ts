import type { Static } from 'typebox';
import {
  extractionSkipReasons,
  extractionStatuses,
  type PartsOfVersion,
} from '../../../domain/derivation/derivation-store.ts';
import { embeddingStatuses } from '../../../domain/embedding/embed-step.ts';
import { entitiesOfMemoryMax } from '../../../domain/entities/entity.ts';
import { type DerivedOfVersion, derivedOfVersions } from '../../../domain/memories/derived-of-versions.ts';
import type { Memory } from '../../../domain/memories/memory.ts';
import {
  creationMethods,
  type Relationship,
  relationshipTypes,
} from '../../../domain/relationships/relationship.ts';
import type { UserReaders } from '../../../domain/shared/stores.ts';
import { type EpochMs, toIso } from '../../../domain/shared/time.ts';
import type { UserRef } from '../../../domain/shared/user-ref.ts';
import { chunksOf } from '../../../lib/collections.ts';
import { Breather } from '../../../lib/loop-time.ts';
import { previewOf } from '../../../search/shape/preview.ts';
import { Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { memoryFields, toMemoryRecord } from '../../schemas/memory.ts';
import { oneOf } from '../../schemas/query.ts';
import { EntitySchema, FactOfMemorySchema, toFactOfMemoryRecord } from '../../schemas/records.ts';
import type { AppServices } from '../../services.ts';

const details = ['minimal', 'standard', 'full'] as const;
type Detail = (typeof details)[number];

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

type RelationRecord = Static<typeof RelationSchema>;
export type DetailedMemoryRecord = Static<typeof DetailedMemorySchema>;

/** Maximum of edges shown of one memory: the oldest. */
const relationshipsShownMax = 100;

type Sources = Pick<AppServices, 'stores' | 'search' | 'embedding' | 'extraction'>;

function toRelation(edge: Relationship, memoryId: string): RelationRecord {
  const outgoing = edge.sourceMemoryId === memoryId;
  return {
    id: edge.id,
    type: edge.type,
    direction: outgoing ? 'outgoing' : 'incoming',
    targetMemoryId: outgoing ? edge.targetMemoryId : edge.sourceMemoryId,
    confidence: edge.confidence,
    creationMethod: edge.creationMethod,
    reason: edge.reason ?? undefined,
    createdAt: toIso(edge.createdAt),
  };
}

async function countConflicts(
  { relationships }: Pick<UserReaders, 'relationships'>,
  { id }: Memory,
  edges: readonly Relationship[],
): Promise<number> {
  if (edges.length === relationshipsShownMax) return relationships.countOutgoing(id, 'CONTRADICTS');
  return edges.filter((edge) => edge.type === 'CONTRADICTS' && edge.sourceMemoryId === id).length;
}

function toStandard(
  memory: Memory,
  { facts, entities, topics }: DerivedOfVersion,
  edges: readonly Relationship[],
): DetailedMemoryRecord & { relationships: RelationRecord[] } {
  const record = toMemoryRecord(memory);
  return Object.assign(record, {
    userTopics: record.topics,
    extractedTopics: [...topics],
    entities: entities.slice(0, entitiesOfMemoryMax),
    facts: facts.shown.map(toFactOfMemoryRecord),
    extractedTopicCount: topics.length,
    extractedEntityCount: entities.length,
    extractedFactCount: facts.derived,
    relationships: edges.map((edge) => toRelation(edge, memory.id)),
    conflictCount: undefined,
  });
}

async function previews(
  { stores }: Sources,
  user: UserRef,
  relations: readonly RelationRecord[],
): Promise<Map<string, string>> {
  const ids = [...new Set(relations.map(({ targetMemoryId }) => targetMemoryId))];
  const found = new Map<string, string>();
  for (const chunk of chunksOf(ids)) {
    for (const { id, content } of await stores.forUser(user).memories.findMany(chunk))
      found.set(id, previewOf(content));
  }
  return found;
}

async function loadFull(
  sources: Sources,
  user: UserRef,
  { memories, parts, asOf }: DetailsRequest,
): Promise<DetailedMemoryRecord[]> {
  const records = await loadDetails(sources, user, { memories, parts, asOf, detail: 'standard' });
  const conversationIds = [...new Set(memories.map(({ conversationId }) => conversationId))];
  const conversations = await sources.stores.forUser(user).conversations.findMany(conversationIds);
  const byId = new Map(conversations.map((conversation) => [conversation.id, conversation]));
  const previewOfId = await previews(
    sources,
    user,
    records.flatMap(({ relationships }) => relationships ?? []),
  );
  const breather = new Breather();
  for (const [i, memory] of memories.entries()) {
    const pause = breather.pause();
    if (pause) await pause;
    const record = records[i];
    for (const relation of record.relationships ?? [])
      relation.targetPreview = previewOfId.get(relation.targetMemoryId);
    const conversation = byId.get(memory.conversationId);
    record.conversationContext = conversation && {
      conversationId: conversation.id,
      title: conversation.title,
      position: (await sources.search.aroundInConversation(user, memory, 0)).position,
      memoryCount: conversation.memoryCount,
    };
  }
  return records;
}

interface DetailsRequest {
  readonly memories: readonly Memory[];
  readonly detail: Detail;
  /** The parts that each version has, if they were read with it. */
  readonly parts?: ReadonlyMap<number, PartsOfVersion>;
  /** The time of the versions, if they are earlier ones. */
  readonly asOf?: EpochMs;
}

/** Memories as clients see them, in the same order, with the fields of the level of detail. */
export async function loadDetails(
  sources: Sources,
  user: UserRef,
  request: DetailsRequest,
): Promise<DetailedMemoryRecord[]> {
  const { memories, detail } = request;
  if (detail === 'minimal') return memories.map(toMemoryRecord);
  if (detail === 'full') return loadFull(sources, user, request);
  const docs = memories.map(({ doc }) => doc);
  const embedded = await sources.embedding.statusOf(user, docs);
  const longestInput = sources.embedding.longestInput();
  const readers = sources.stores.forUser(user);
  const parts = request.parts ?? (await readers.derivation.partsOf(docs));
  const derivedOf = await derivedOfVersions(readers, memories, {
    facts: true,
    entities: true,
    topics: true,
    among: parts,
    asOf: request.asOf,
  });
  const records = [];
  const breather = new Breather();
  for (const memory of memories) {
    // On SQLite no call below yields: without this pause, others would wait for the whole loop.
    const pause = breather.pause();
    if (pause) await pause;
    const has = parts.get(memory.doc);
    const all = has?.relationships
      ? await readers.relationships.listOf(memory.id, 'both', relationshipsShownMax)
      : [];
    const edges = all.filter(({ createdAt }) => createdAt <= (request.asOf ?? createdAt));
    const record = toStandard(memory, derivedOf(memory), edges);
    if (edges.length > 0 && request.asOf === undefined)
      record.conflictCount = (await countConflicts(readers, memory, edges)) || undefined;
    record.embeddingStatus = embedded.get(memory.doc);
    const { status, skipReason, completedAt } = sources.extraction.of(has?.extraction);
    record.extractionStatus = status;
    record.extractionSkipReason = skipReason;
    if (completedAt !== undefined) record.extractionCompletedAt = toIso(completedAt);
    if (longestInput !== undefined) record.embeddingTruncated = memory.content.length > longestInput;
    records.push(record);
  }
  return records;
}
