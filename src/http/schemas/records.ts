import { type Static, Type } from 'typebox';
import type { Artifact } from '../../domain/artifacts/artifact.ts';
import type { Conversation } from '../../domain/conversations/conversation.ts';
import { entityTypes } from '../../domain/entities/entity.ts';
import {
  type ConfidenceBasis,
  type Fact,
  type FactOfMemory,
  factStates,
  validityOf,
} from '../../domain/facts/fact.ts';
import { type Narrative, narrativeStates } from '../../domain/narratives/narrative.ts';
import { type EpochMs, toIso } from '../../domain/shared/time.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import type { Topic } from '../../domain/topics/topic.ts';
import { component } from './component.ts';
import { jsonObject, oneOf } from './query.ts';
import { sampleIds } from './samples.ts';

/*
 * Records as clients see them, which the package exports as types (src/index.ts). Memories are in memory.ts, results
 * of a search in routes/memories/search-response.ts. Imports nothing of Fastify: the exported types would need it.
 */

const externalIdOf = (kind: string) =>
  Type.Optional(Type.String({ description: `What another system calls the ${kind}.` }));

export const ArtifactSchema = Type.Object(
  {
    id: Type.String({ examples: [sampleIds.artifact] }),
    userId: Type.String(),
    content: Type.String(),
    size: Type.Integer({ description: 'Length of content in UTF-16 units.' }),
    type: Type.String(),
    name: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    memoryId: Type.Optional(Type.String()),
    conversationId: Type.Optional(Type.String()),
    metadata: Type.Optional(jsonObject('As the client sent it.')),
    externalId: externalIdOf('artifact'),
    createdAt: Type.String(),
    updatedAt: Type.String(),
  },
  component('Artifact'),
);

export function toArtifactRecord(artifact: Artifact, user: UserRef): Static<typeof ArtifactSchema> {
  const { id, content, type, name, description, memoryId, conversationId, metadata } = artifact;
  return {
    id,
    userId: user.publicId,
    content,
    size: content.length,
    type,
    ...(name !== null && { name }),
    ...(description !== null && { description }),
    ...(memoryId !== null && { memoryId }),
    ...(conversationId !== null && { conversationId }),
    ...(metadata !== null && { metadata: { ...metadata } }),
    ...(artifact.externalId !== null && { externalId: artifact.externalId }),
    createdAt: toIso(artifact.createdAt),
    updatedAt: toIso(artifact.updatedAt),
  };
}

export const ConversationSchema = Type.Object(
  {
    id: Type.String({ examples: [sampleIds.conversation] }),
    title: Type.String({
      description:
        'As given; that of a conversation made for a memory is the beginning of its oldest memory that is not ' +
        'deleted, `Untitled` where there is none.',
    }),
    summary: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
    memoryCount: Type.Integer(),
    messageCount: Type.Integer({ description: 'The same as memoryCount.' }),
    lastActivityAt: Type.String({
      description: 'The createdAt of its newest memory, else of the conversation.',
    }),
    externalId: externalIdOf('conversation'),
    agentSessionId: Type.Optional(
      Type.String({ description: 'The agent session whose memories join it, if it has one.' }),
    ),
    metadata: Type.Optional(jsonObject('As the client sent it.')),
    createdAt: Type.String(),
    updatedAt: Type.String(),
  },
  component('Conversation'),
);

export function toConversationRecord(conversation: Conversation): Static<typeof ConversationSchema> {
  const { externalId, agentSessionId, metadata } = conversation;
  return {
    id: conversation.id,
    title: conversation.title,
    summary: conversation.summary,
    memoryCount: conversation.memoryCount,
    messageCount: conversation.memoryCount,
    lastActivityAt: toIso(conversation.lastActivityAt),
    ...(externalId !== null && { externalId }),
    ...(agentSessionId !== null && { agentSessionId }),
    ...(metadata !== null && { metadata: { ...metadata } }),
    createdAt: toIso(conversation.createdAt),
    updatedAt: toIso(conversation.updatedAt),
  };
}

export const TopicSchema = Type.Object(
  {
    id: Type.String({ examples: [sampleIds.topic] }),
    name: Type.String(),
    count: Type.Integer({ description: 'The same as memoryCount.' }),
    memoryCount: Type.Integer({ description: 'Memories that carry it.' }),
    derived: Type.Boolean({
      description: 'Whether it was only derived from texts: no memory or narrative was given it.',
      examples: [false],
    }),
    createdAt: Type.String(),
    updatedAt: Type.String(),
  },
  component('Topic'),
);

export function toTopicRecord(topic: Topic): Static<typeof TopicSchema> {
  return {
    id: topic.id,
    name: topic.name,
    count: topic.memoryCount,
    memoryCount: topic.memoryCount,
    derived: topic.isDerived,
    createdAt: toIso(topic.createdAt),
    updatedAt: toIso(topic.updatedAt),
  };
}

/** A part of the text of a memory. */
const placeFields = (what: string) => ({
  start: Type.Optional(
    Type.Integer({
      description: `First UTF-16 unit of ${what} in the content; absent if that is not in it.`,
    }),
  ),
  end: Type.Optional(Type.Integer({ description: 'UTF-16 unit after the last.' })),
});

export const entityTypeField = oneOf(entityTypes, component('EntityType'));

export const EntitySchema = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    type: entityTypeField,
    confidence: Type.Number({ description: '0-1.' }),
    ...placeFields('its first mention'),
  },
  component('Entity'),
);

/** Name of each basis in the API, for facts and memories. */
const basisNames = {
  direct: 'direct-statement',
  repeated: 'repeated-mention',
  hedged: 'hedged',
  planned: 'planned',
  inferred: 'inference',
} as const satisfies Readonly<Record<ConfidenceBasis, string>>;

const confidenceBasisField = oneOf(Object.values(basisNames), {
  ...component('ConfidenceBasis'),
  description:
    'How the source memories state it: directly, directly in several, with doubt or by hearsay (hedged), as a plan ' +
    '(planned), or not in these words (inference). Absent if a client stated it.',
});

export const FactSchema = Type.Object(
  {
    id: Type.String({ examples: [sampleIds.fact] }),
    userId: Type.String(),
    subject: Type.String(),
    predicate: Type.String(),
    object: Type.String(),
    name: Type.String({ description: 'The same as subject.' }),
    type: Type.String({ description: 'The same as predicate.' }),
    confidence: Type.Number({ description: '0-1.' }),
    sourceMemoryId: Type.Optional(
      Type.String({
        description: 'The first memory that it was drawn from; absent where it was stated alone.',
      }),
    ),
    sourceMemoryIds: Type.Array(Type.String(), {
      description:
        'All memories that it was drawn from, without those in the trash; the first written first.',
    }),
    mentionCount: Type.Integer({ description: 'How many memories those are.' }),
    mentions: Type.Optional(
      Type.Array(
        Type.Object(
          {
            memoryId: Type.String({ examples: [sampleIds.memory] }),
            start: Type.Integer({ description: 'First UTF-16 unit of its content.', examples: [0] }),
            end: Type.Integer({ description: 'UTF-16 unit after the last.', examples: [27] }),
            confidence: Type.Number({ description: '0-1.' }),
          },
          component('FactMention'),
        ),
        { description: 'The words of those memories that state it, if it was derived; the first 100.' },
      ),
    ),
    effectiveState: oneOf(factStates, {
      ...component('FactState'),
      description:
        'current: a memory that holds now states it, or none does. Else that of the memories that state it: ' +
        'superseded, contradicted, expired (validity ended) or future (not begun).',
    }),
    validFrom: Type.Optional(
      Type.String({ description: 'As stated; else where all memories that state it say when it begins.' }),
    ),
    validTo: Type.Optional(
      Type.String({ description: 'As stated; else where all memories that state it say when it ends.' }),
    ),
    supersededBy: Type.Optional(
      Type.String({
        examples: [sampleIds.otherMemory],
        description: 'The memory that replaces or contradicts what it was drawn from.',
      }),
    ),
    confidenceBasis: Type.Optional(confidenceBasisField),
    negated: Type.Optional(Type.Boolean({ description: 'True if the derived fact is a negation.' })),
    corrected: Type.Optional(Type.Boolean({ description: 'True where a person changed what was derived.' })),
    extractedAt: Type.Optional(Type.String({ description: 'When it was drawn from a memory.' })),
    externalId: externalIdOf('fact'),
    createdAt: Type.String(),
    updatedAt: Type.String(),
  },
  component('Fact'),
);

const mentionsShownMax = 100;

/** @param at the time of `effectiveState` */
export function toFactRecord(fact: Fact, user: UserRef, at: EpochMs): Static<typeof FactSchema> {
  const { id, subject, predicate, object, confidence, sourceMemoryIds } = fact;
  const { effectiveState, validFrom, validTo, supersededBy } = validityOf(fact, at);
  const mentions = fact.mentions.slice(0, mentionsShownMax).map((mention) => ({ ...mention }));
  return {
    id,
    userId: user.publicId,
    subject,
    predicate,
    object,
    name: subject,
    type: predicate,
    confidence,
    ...(sourceMemoryIds.length > 0 && { sourceMemoryId: sourceMemoryIds[0] }),
    sourceMemoryIds: [...sourceMemoryIds],
    mentionCount: sourceMemoryIds.length,
    ...(mentions.length > 0 && { mentions }),
    effectiveState,
    ...(validFrom !== null && { validFrom: toIso(validFrom) }),
    ...(validTo !== null && { validTo: toIso(validTo) }),
    ...(supersededBy !== null && { supersededBy }),
    ...(fact.basis && { confidenceBasis: basisNames[fact.basis] }),
    ...(fact.isNegated && { negated: true }),
    ...(fact.isCorrected && { corrected: true }),
    ...(fact.extractedAt !== null && { extractedAt: toIso(fact.extractedAt) }),
    ...(fact.externalId !== null && { externalId: fact.externalId }),
    createdAt: toIso(fact.createdAt),
    updatedAt: toIso(fact.updatedAt),
  };
}

/** A fact as shown with its source memory. */
export const FactOfMemorySchema = Type.Object(
  {
    id: Type.String(),
    subject: Type.String(),
    predicate: Type.String(),
    object: Type.String(),
    confidence: Type.Number(),
    confidenceBasis: Type.Optional(confidenceBasisField),
    negated: Type.Optional(Type.Boolean({ description: 'True if the fact is a negation.' })),
    ...placeFields('the words that state it'),
  },
  component('MemoryFact'),
);

export function toFactOfMemoryRecord(fact: FactOfMemory): Static<typeof FactOfMemorySchema> {
  const { id, subject, predicate, object, confidence, basis, isNegated, start, end } = fact;
  return {
    id,
    subject,
    predicate,
    object,
    confidence,
    ...(basis && { confidenceBasis: basisNames[basis] }),
    ...(isNegated && { negated: true }),
    ...(start !== undefined && { start, end }),
  };
}

const MoveSchema = Type.Object(
  {
    state: oneOf(narrativeStates, component('NarrativeState')),
    resolutionMemoryId: Type.Optional(Type.String()),
    at: Type.String({ description: 'When it took this state and resolution.' }),
  },
  component('NarrativeMove'),
);

export const NarrativeSchema = Type.Object(
  {
    id: Type.String({ examples: [sampleIds.narrative] }),
    userId: Type.String(),
    title: Type.String(),
    state: oneOf(narrativeStates, component('NarrativeState')),
    rootMemoryId: Type.String({
      description:
        'The first memory; if none is left, the one that began the thread; empty if all were erased for good.',
    }),
    currentMemoryId: Type.Optional(Type.String({ description: 'The last memory.' })),
    resolutionMemoryId: Type.Optional(Type.String({ description: 'The memory that resolved the thread.' })),
    topics: Type.Array(Type.String(), {
      description: 'As given; otherwise the distinct topics of its memories, in order.',
    }),
    memoryCount: Type.Integer({ description: 'Memories in it, without those in the trash.' }),
    moves: Type.Optional(
      Type.Array(MoveSchema, { description: 'The latest 100, oldest first; left out in lists.' }),
    ),
    createdAt: Type.String(),
    updatedAt: Type.String(),
  },
  component('Narrative'),
);

export function toNarrativeRecord(narrative: Narrative, user: UserRef): Static<typeof NarrativeSchema> {
  const { id, title, state, rootMemoryId, currentMemoryId, resolutionMemoryId, topics } = narrative;
  return {
    id,
    userId: user.publicId,
    title,
    state,
    rootMemoryId,
    currentMemoryId: currentMemoryId ?? undefined,
    resolutionMemoryId: resolutionMemoryId ?? undefined,
    topics: [...topics],
    memoryCount: narrative.memoryCount,
    moves: narrative.moves?.map((move) => ({
      state: move.state,
      resolutionMemoryId: move.resolutionMemoryId ?? undefined,
      at: toIso(move.at),
    })),
    createdAt: toIso(narrative.createdAt),
    updatedAt: toIso(narrative.updatedAt),
  };
}
