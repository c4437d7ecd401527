import { newId } from '../../lib/new-id.ts';
import { type Place, placeMemory } from '../conversations/place-memory.ts';
import { refreshStates } from '../relationships/refresh-states.ts';
import { supersedesEdge } from '../relationships/supersedes-edge.ts';
import { AppError, memoryNotFound } from '../shared/errors.ts';
import type { Write } from '../shared/write.ts';
import { newChainId } from './chain-id.ts';
import type { Memory, MemoryContent } from './memory.ts';

export interface WantedPlace {
  readonly conversationId?: string;
  readonly agentSessionId?: string;
}

export interface WantedMemory extends WantedPlace {
  /** A memory that the new one replaces. */
  readonly supersedes?: string;
}

export interface CreatedMemory {
  readonly memory: Memory;
  readonly place: Place;
}

export const nameConflict = () => new AppError('MEMORY_NAME_CONFLICT', 'Another memory has this name.');

/** Membership in a chain of versions of a named memory. */
export interface ChainPlace {
  readonly chainId: string | null;
  readonly chainVersion: number | null;
}

export function newChain(): { readonly chainId: string; readonly chainVersion: number } {
  return { chainId: newChainId(), chainVersion: 1 };
}

/**
 * Writes a memory; a name starts a chain of versions with it.
 * @throws 404 for an unknown conversation or `supersedes`, 409 where the name is taken
 */
export async function createMemory(
  write: Write,
  content: MemoryContent,
  wanted: WantedMemory,
): Promise<CreatedMemory> {
  if (content.name !== null && (await write.tx.memories.findByName(content.name))) throw nameConflict();
  const chain = content.name === null ? { chainId: null, chainVersion: null } : newChain();
  const { supersedes } = wanted;
  if (supersedes !== undefined && !(await write.tx.memories.find(supersedes))) throw memoryNotFound();
  const created = await insertMemory(write, { content, wanted, chain });
  if (supersedes !== undefined) {
    await write.tx.relationships.insert(supersedesEdge(created.memory, supersedes, {}));
    await refreshStates(write, [supersedes]);
  }
  return created;
}

export interface MemoryInsertion {
  readonly content: MemoryContent;
  readonly wanted: WantedPlace;
  readonly chain: ChainPlace;
}

/** Writes a memory of which nothing is to be checked but its conversation. @throws 404 for an unknown one */
export async function insertMemory(
  write: Write,
  { content, wanted, chain }: MemoryInsertion,
): Promise<CreatedMemory> {
  const { tx, at } = write;
  const place = await placeMemory(write, {
    conversationId: wanted.conversationId,
    agentSessionId: wanted.agentSessionId,
    content: content.content,
  });
  const topics = content.topics.length > 0 ? await tx.topics.current(content.topics) : content.topics;
  const memory = await tx.memories.insert({
    content: content.content,
    memoryType: content.memoryType,
    memoryTypeUserSet: content.memoryTypeUserSet,
    name: content.name,
    role: content.role,
    context: content.context,
    topics,
    eventTime: content.eventTime,
    validFrom: content.validFrom,
    validTo: content.validTo,
    codeContext: content.codeContext,
    metadata: content.metadata,
    taskId: content.taskId,
    outcome: content.outcome,
    importance: content.importance,
    chainId: chain.chainId,
    chainVersion: chain.chainVersion,
    id: newId(),
    conversationId: place.conversationId,
    sessionId: place.sessionId,
    effectiveState: 'current',
    createdAt: at,
    updatedAt: at,
  });
  if (topics.length > 0) await tx.topics.assignFirst(memory.id, topics, at);
  return { memory, place };
}
