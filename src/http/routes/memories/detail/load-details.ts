import type { PartsOfVersion } from '../../../../domain/derivation/derivation-store.ts';
import { entitiesOfMemoryMax } from '../../../../domain/entities/entity.ts';
import { type DerivedOfVersion, derivedOfVersions } from '../../../../domain/memories/derived-of-versions.ts';
import type { Memory } from '../../../../domain/memories/memory.ts';
import type { Relationship } from '../../../../domain/relationships/relationship.ts';
import type { UserReaders } from '../../../../domain/shared/stores.ts';
import { toIso } from '../../../../domain/shared/time.ts';
import type { UserRef } from '../../../../domain/shared/user-ref.ts';
import { Breather } from '../../../../lib/breather.ts';
import { chunksOf } from '../../../../lib/chunks.ts';
import { previewOf } from '../../../../search/shape/preview.ts';
import { toMemoryRecord } from '../../../schemas/memory.ts';
import {
  type Detail,
  type DetailedMemoryRecord,
  type RelationRecord,
  toFactOfMemoryRecord,
} from '../../../schemas/memory-detail.ts';
import type { AppServices } from '../../../services.ts';

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
  { memories, parts }: DetailsRequest,
): Promise<DetailedMemoryRecord[]> {
  const records = await loadDetails(sources, user, { memories, parts, detail: 'standard' });
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

export interface DetailsRequest {
  readonly memories: readonly Memory[];
  readonly detail: Detail;
  /** The parts that each version has, if they were read with it. */
  readonly parts?: ReadonlyMap<number, PartsOfVersion>;
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
  });
  const records = [];
  const breather = new Breather();
  for (const memory of memories) {
    // On SQLite no call below yields: without this pause, others would wait for the whole loop.
    const pause = breather.pause();
    if (pause) await pause;
    const has = parts.get(memory.doc);
    const edges = has?.relationships
      ? await readers.relationships.listOf(memory.id, 'both', relationshipsShownMax)
      : [];
    const record = toStandard(memory, derivedOf(memory), edges);
    if (edges.length > 0) record.conflictCount = (await countConflicts(readers, memory, edges)) || undefined;
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
