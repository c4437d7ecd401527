import { newId, newNeighbouringIds } from '../../lib/random.ts';
import { type MemoryPlace, placeMemory } from '../conversations/place-memory.ts';
import { newSupersedes } from '../relationships/relationship.ts';
import { refreshStates } from '../relationships/relationship-service.ts';
import { AppError, notFound } from '../shared/errors.ts';
import { assertExternalId, createdAtOf, type FromElsewhere } from '../shared/external-id.ts';
import type { IndexedMemory, TextIndexer } from '../shared/text-indexer.ts';
import type { EpochMs } from '../shared/time.ts';
import { authorOf, type Write } from '../shared/write.ts';
import { type KnownMemory, type Memory, type MemoryContent, toNewMemory } from './memory.ts';
import { type MemoryInput, toContent } from './memory-input.ts';
import type { SimilarMemory } from './similar-memories.ts';

interface ConversationTarget {
  readonly conversationId?: string;
  readonly agentSessionId?: string;
}

export interface CreateMemoryOptions extends ConversationTarget, FromElsewhere {
  /** Id of a memory that the new one replaces. */
  readonly supersedes?: string;
  /**
   * Time of writing elsewhere, not in the future; default: now. Histories show the true time of the write.
   */
  readonly createdAt?: EpochMs;
}

/** A memory to create. */
export interface CreateRequest {
  readonly input: MemoryInput & { readonly content: string };
  readonly options: CreateMemoryOptions;
}

/** A memory whose fields are checked, with its document and vectors. */
export interface PreparedCreate {
  readonly content: MemoryContent;
  readonly indexed: IndexedMemory;
  readonly options: CreateMemoryOptions;
}

/** @throws 422 */
export function prepareCreate(indexer: TextIndexer, { input, options }: CreateRequest): PreparedCreate {
  const content = toContent(input);
  assertExternalId(options.externalId);
  const indexed = { document: indexer.memory(content), vectors: indexer.vectors(content.content) };
  return { content, indexed, options };
}

export interface CreatedMemory {
  readonly memory: Memory;
  readonly place: MemoryPlace;
  /** True if a memory with the external id existed; `memory` is that one, unchanged without `again`. */
  readonly isExisting: boolean;
  /**
   * Of an import of a record that has changed since it was imported: a new version has it
   * (`updated`), or the memory was edited here, and is left alone (`keptEdit`).
   */
  readonly again?: 'updated' | 'keptEdit';
  /** Earlier memories on the same matter, the nearest first; empty if none are known without a wait. */
  readonly similar?: readonly SimilarMemory[];
}

export const nameConflict = () => new AppError('MEMORY_NAME_CONFLICT', 'Another memory has this name.');

/** Membership in a chain of versions of a named memory. */
interface ChainPlace {
  readonly chainId: string | null;
  readonly chainVersion: number | null;
}

export function newChain(): { readonly chainId: string; readonly chainVersion: number } {
  return { chainId: newChainId(), chainVersion: 1 };
}

/**
 * Writes a memory, unless one with its external id exists; a name starts a chain of versions.
 * @throws 404 for an unknown conversation or `supersedes`; 409 if the
 * name is taken or the memory with the external id is in the trash; 422
 */
export async function createMemory(write: Write, prepared: PreparedCreate): Promise<CreatedMemory> {
  const { externalId } = prepared.options;
  if (externalId === undefined) return createUnknown(write, prepared);
  const known = (await write.tx.memories.findByExternalIds([externalId])).get(externalId);
  return known ? existingMemory(known) : createUnknown(write, prepared);
}

/** Writes a memory whose external id none has; see `createMemory`. */
export async function createUnknown(
  write: Write,
  { content, indexed, options }: PreparedCreate,
): Promise<CreatedMemory> {
  if (content.name !== null && (await write.tx.memories.findByName(content.name))) throw nameConflict();
  const chain = content.name === null ? { chainId: null, chainVersion: null } : newChain();
  const { supersedes } = options;
  if (supersedes !== undefined && !(await write.tx.memories.find(supersedes))) throw notFound('memory');
  const created = await insertMemory(write, { content, indexed, options, chain });
  if (supersedes !== undefined) {
    await write.tx.relationships.insert(newSupersedes(created.memory, supersedes, {}));
    await refreshStates(write, [supersedes]);
  }
  return created;
}

interface MemoryInsertion extends PreparedCreate {
  readonly chain: ChainPlace;
}

/** The memory that an earlier create with its external id made. @throws 409 if it is in the trash */
export function existingMemory({ memory, isTrashed }: KnownMemory): CreatedMemory {
  if (isTrashed)
    throw new AppError(
      'MEMORY_IN_TRASH',
      'The memory with this externalId is in the trash: restore or erase it.',
      {
        details: { memoryId: memory.id },
      },
    );
  const { conversationId, sessionId } = memory;
  const place = { conversationId, sessionId, sessionCreated: false, conversationCreated: false };
  return { memory, place, isExisting: true };
}

/**
 * Writes a memory whose fields are checked, except its conversation. @throws 404 for an unknown conversation
 */
export async function insertMemory(
  write: Write,
  { content, indexed, options, chain }: MemoryInsertion,
): Promise<CreatedMemory> {
  const { tx, at, indexer } = write;
  const createdAt = createdAtOf(options, at);
  const place = await placeMemory(write, {
    createdAt,
    conversationId: options.conversationId,
    agentSessionId: options.agentSessionId,
    content: content.content,
  });
  // Merges, which are read in the transaction, can rename its topics.
  const topics = content.topics.length > 0 ? await tx.topics.current(content.topics) : content.topics;
  const isAsStated =
    topics.length === content.topics.length && topics.every((name, i) => name === content.topics[i]);
  const newMemory = toNewMemory(content, {
    topics,
    id: newId(),
    conversationId: place.conversationId,
    sessionId: place.sessionId,
    externalId: options.externalId ?? null,
    chainId: chain.chainId,
    chainVersion: chain.chainVersion,
    effectiveState: 'current',
    outdatedParts: null,
    createdBy: authorOf(write, options.importId),
    createdAt,
    updatedAt: at,
  });
  const document = isAsStated ? indexed.document : indexer.memory(newMemory);
  const numbers = await tx.memories.insert(
    newMemory,
    { document, vectors: indexed.vectors },
    options.importId,
  );
  // `Object.assign` instead of a spread, which takes 6 us for objects with so many fields.
  const memory: Memory = Object.assign(newMemory, numbers);
  if (topics.length > 0) await tx.topics.assignFirst(memory.id, topics, at);
  return { memory, place, isExisting: false };
}

/** Makes the id that all versions of a named memory share. */
export const newChainId = newNeighbouringIds();
