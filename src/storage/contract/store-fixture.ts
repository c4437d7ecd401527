import { randomUUID } from 'node:crypto';
import type { StoredKey } from '../../domain/api-keys/api-key.ts';
import type { Conversation } from '../../domain/conversations/conversation.ts';
import type { Fact } from '../../domain/facts/fact.ts';
import { type Memory, type NewMemory, toNewMemory } from '../../domain/memories/memory.ts';
import { toContent } from '../../domain/memories/memory-input.ts';
import type { StoredResponse } from '../../domain/shared/idempotency-store.ts';
import type { UserStores, UserWriters } from '../../domain/shared/stores.ts';
import type { TextIndexer } from '../../domain/shared/text-indexer.ts';
import type { User } from '../../domain/users/user.ts';
import type { StorageEngine } from '../engine.ts';
import { wordIndexer } from './word-indexer.ts';

export function newConversation(fields: Partial<Conversation> = {}): Conversation {
  return {
    id: `conv_${randomUUID()}`,
    title: 'Talk',
    summary: null,
    createdAt: 1000,
    updatedAt: 1000,
    lastActivityAt: 1000,
    memoryCount: 0,
    agentSessionId: null,
    implicit: false,
    lastSessionId: null,
    autoTitled: false,
    externalId: null,
    metadata: null,
    ...fields,
  };
}

export function newMemory(conversationId: string, fields: Partial<NewMemory> = {}): NewMemory {
  const memory = toNewMemory(toContent({ content: 'The cat sat on the mat' }), {
    topics: [],
    id: randomUUID(),
    conversationId,
    sessionId: 'session_1',
    externalId: null,
    chainId: null,
    chainVersion: null,
    effectiveState: 'current',
    outdatedParts: null,
    createdBy: null,
    createdAt: 2000,
    updatedAt: 2000,
  });
  return { ...memory, ...fields };
}

export async function newUser(
  engine: StorageEngine,
  name = `user-${randomUUID().slice(0, 8)}`,
): Promise<User> {
  return engine.users.insert({ publicId: randomUUID(), name, email: `${name}@example.test`, at: 1 });
}

/** `UserStores.indexer` of an engine opened with the indexer. */
const wordTexts: TextIndexer = { ...wordIndexer, vectors: () => [] };

export function insertConversation(
  tx: UserWriters,
  conversation: Conversation,
  { conversation: documentOf } = wordTexts,
): Promise<void> {
  return tx.conversations.insert(conversation, documentOf(conversation.title, conversation.summary));
}

export async function insertMemory(tx: UserWriters, memory: NewMemory, indexer = wordTexts): Promise<Memory> {
  const indexed = { document: indexer.memory(memory), vectors: indexer.vectors(memory.content) };
  return { ...memory, ...(await tx.memories.insert(memory, indexed)) };
}

export function insertFact(tx: UserWriters, fact: Fact): Promise<void> {
  return tx.facts.insert(fact, wordTexts.fact(fact));
}

export function replaceFact(tx: UserWriters, fact: Fact): Promise<void> {
  return tx.facts.replace(fact, wordTexts.fact(fact));
}

/** Writes a memory, in a conversation made for it unless one is named. */
export async function writeMemory(stores: UserStores, fields: Partial<NewMemory> = {}): Promise<Memory> {
  const { indexer } = stores;
  return stores.transaction(async (tx: UserWriters) => {
    const conversation = newConversation();
    if (!fields.conversationId) await insertConversation(tx, conversation, indexer);
    const memory = await insertMemory(tx, newMemory(conversation.id, fields), indexer);
    await tx.topics.assignFirst(memory.id, memory.topics, memory.createdAt);
    await tx.conversations.addMemory(memory.conversationId, {
      at: memory.createdAt,
      createdAt: memory.createdAt,
      goesOnSince: memory.createdAt,
      newSessionId: memory.sessionId,
    });
    return memory;
  });
}

export function newFact(fields: Partial<Fact> = {}): Fact {
  return {
    id: randomUUID(),
    subject: 'Ada',
    predicate: 'likes',
    object: 'tea',
    confidence: 1,
    sourceMemoryIds: [],
    mentions: [],
    sources: [],
    basis: null,
    isNegated: false,
    isCorrected: false,
    validFrom: null,
    validTo: null,
    externalId: null,
    extractedAt: null,
    createdAt: 2000,
    updatedAt: 2000,
    ...fields,
  };
}

export function newKey(): Omit<StoredKey, 'userId'> {
  return {
    id: randomUUID(),
    prefix: `cmk_live_${randomUUID()}`,
    secretHash: 'hash',
    label: 'l',
    scopes: ['read', 'write'],
    createdAt: 1,
    expiresAt: null,
    lastUsedAt: null,
    revokedAt: null,
    requestsPerMinute: null,
  };
}

export const storedResponse: StoredResponse = {
  fingerprint: 'f',
  status: 201,
  body: '{}',
  etag: null,
  createdAt: 1,
};
