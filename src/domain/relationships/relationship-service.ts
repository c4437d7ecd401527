import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../lib/clock.ts';
import { chunksOf } from '../../lib/collections.ts';
import { throttled } from '../../lib/throttle.ts';
import { changeMemory } from '../memories/change-memory.ts';
import type { EffectiveState } from '../memories/memory.ts';
import type { MemoryChange } from '../memories/memory-store.ts';
import { AppError, invalidInput, notFound } from '../shared/errors.ts';
import type { Stores } from '../shared/stores.ts';
import type { UserRef } from '../shared/user-ref.ts';
import { type KeyedAct, type Write, writeAs } from '../shared/write.ts';
import { type EvidenceTexts, evidenceTextsOf } from './found-relationship.ts';
import {
  type Direction,
  effectiveStateOf,
  type Relationship,
  type RelationshipReader,
  type RelationshipType,
  type StoredState,
} from './relationship.ts';
import { supersessionPath } from './relationship-paths.ts';

interface RelationshipInput {
  readonly targetMemoryId: string;
  readonly type: RelationshipType;
  /** 0 to 1. */
  readonly confidence: number;
  readonly reason: string | null;
  /** The import that it comes from, which brings back none that was deleted here. */
  readonly importId?: string;
}

/** Memories read by one query of a repair. */
const readAtOnce = 500;
/** Memories changed by one transaction of a repair, for which other writes wait. */
const repairedAtOnce = 50;

/** Relationships stated by clients; the same transaction updates the state of the target. */
export class RelationshipService {
  readonly #stores: Stores;
  readonly #clock: Clock;

  constructor({ stores, clock }: { readonly stores: Stores; readonly clock: Clock }) {
    this.#stores = stores;
    this.#clock = clock;
  }

  /** @throws 404 for a missing memory, 409 for an existing relationship, one deleted here, or a circle of SUPERSEDES, 422 */
  create(
    user: UserRef,
    sourceId: string,
    input: RelationshipInput,
    act?: KeyedAct<Relationship>,
  ): Promise<Relationship> {
    return this.#write(
      user,
      async (write) => {
        await assertEnds(write, sourceId, input.targetMemoryId);
        await assertNew(write, sourceId, input);
        if (input.importId !== undefined) await assertNotDeleted(write, sourceId, input);
        const relationship: Relationship = {
          id: randomUUID(),
          sourceMemoryId: sourceId,
          targetMemoryId: input.targetMemoryId,
          type: input.type,
          confidence: input.confidence,
          creationMethod: 'manual',
          reason: input.reason,
          createdAt: write.at,
        };
        await write.tx.relationships.insert(relationship);
        await refreshStates(write, [input.targetMemoryId]);
        return relationship;
      },
      act,
    );
  }

  /** Oldest first. @throws 404 */
  async list(user: UserRef, memoryId: string, direction: Direction, limit: number): Promise<Relationship[]> {
    const { memories, relationships } = this.#stores.forUser(user);
    if (!(await memories.find(memoryId))) throw notFound('memory');
    return relationships.listOf(memoryId, direction, limit);
  }

  /** The words that show each of these relationships; undefined for a stated one. */
  evidenceOf(user: UserRef, of: readonly Relationship[]): Promise<(EvidenceTexts | undefined)[]> {
    return evidenceTextsOf(this.#stores.forUser(user).foundRelationships, of);
  }

  /** Removes a relationship from or to the memory; searches as of an earlier time still see it. @throws 404 */
  delete(user: UserRef, memoryId: string, id: string): Promise<void> {
    return this.#write(user, async (write) => {
      const { tx, at } = write;
      if (!(await tx.memories.find(memoryId))) throw notFound('memory');
      const found = await tx.relationships.find(id);
      if (!found || (found.sourceMemoryId !== memoryId && found.targetMemoryId !== memoryId))
        throw notFound('relationship');
      await tx.relationships.remove(id, at);
      await refreshStates(write, [found.targetMemoryId]);
    });
  }

  /**
   * Gives every memory the state and the outdated parts that its relationships require. It reads without blocking writers, corrects wrong states
   * in small transactions, and rests between them. If it is interrupted, the next repair does the rest.
   * @returns the memories that this call corrected
   */
  async repairStates(
    user: UserRef,
    act?: KeyedAct<readonly ChangedState[]>,
  ): Promise<readonly ChangedState[]> {
    const { relationships } = this.#stores.forUser(user);
    const repaired: ChangedState[] = [];
    for (let after = ''; ; ) {
      const states = await throttled(() => relationships.statesAfter(after, readAtOnce));
      const last = states.at(-1);
      if (last === undefined) return act ? this.#write(user, async () => repaired, act) : repaired;
      // Relationships may have changed since: the transaction decides again.
      for (const ids of chunksOf(await wrongOnes(relationships, states), repairedAtOnce))
        repaired.push(...(await throttled(() => this.#write(user, (write) => refreshStates(write, ids)))));
      after = last.memoryId;
    }
  }

  #write<T>(user: UserRef, body: (write: Write) => Promise<T>, act?: KeyedAct<T>): Promise<T> {
    return writeAs({ stores: this.#stores, clock: this.#clock }, user, body, act);
  }
}

async function assertEnds({ tx }: Write, sourceId: string, targetId: string): Promise<void> {
  if (!(await tx.memories.find(sourceId))) throw notFound('memory');
  if (sourceId === targetId) throw invalidInput('targetMemoryId', 'must be another memory');
  if (!(await tx.memories.find(targetId))) throw notFound('memory');
}

/** @throws 409 if the two memories had it, and it was deleted */
async function assertNotDeleted(
  { tx }: Write,
  sourceId: string,
  { targetMemoryId, type }: RelationshipInput,
): Promise<void> {
  if (await tx.relationships.wasRemoved(sourceId, targetMemoryId, type))
    throw new AppError(
      'RELATIONSHIP_DELETED',
      'The two memories had this relationship: it was deleted here.',
    );
}

/** @throws 409 if the two memories have it already, or a memory would supersede itself */
export async function assertNew(
  { tx, at }: Write,
  sourceId: string,
  { targetMemoryId, type }: Pick<RelationshipInput, 'targetMemoryId' | 'type'>,
): Promise<void> {
  const existing = await tx.relationships.findEqual(sourceId, targetMemoryId, type);
  // The person says more than was found: that the whole memory is outdated.
  if (existing?.evidence?.keepsState) await tx.relationships.remove(existing.id, at);
  else if (existing) {
    throw new AppError('RELATIONSHIP_EXISTS', 'The two memories have this relationship already.', {
      details: { relationshipId: existing.id },
    });
  }
  if (type !== 'SUPERSEDES') return;
  const path = await supersessionPath(tx.relationships, targetMemoryId, sourceId);
  if (path) {
    throw new AppError(
      'RELATIONSHIP_CYCLE',
      'The memory would supersede itself; details.path names the circle.',
      {
        details: { path: [sourceId, ...path] },
      },
    );
  }
}

/** Memories with a wrong state, and those with outdated parts, which are compared in the transaction. */
async function wrongOnes(
  relationships: RelationshipReader,
  states: readonly StoredState[],
): Promise<string[]> {
  const ids = states.map(({ memoryId }) => memoryId);
  const incoming = await relationships.incomingTypes(ids);
  const parted = await relationships.partlyReplaced(ids);
  return states
    .filter(
      ({ memoryId, effectiveState, hasParts }) =>
        hasParts || parted.has(memoryId) || effectiveState !== effectiveStateOf(incoming.get(memoryId) ?? []),
    )
    .map(({ memoryId }) => memoryId);
}

export interface ChangedState {
  readonly memoryId: string;
  readonly previousState: EffectiveState;
}

/**
 * Gives the live memories among `ids` the state and outdated parts that their incoming live relationships
 * require, after relationships or memories were added or removed. `changes` are further changes by id, written
 * in the same version. `updatedAt` stays: the user stated nothing new.
 * @returns the memories whose state or outdated parts changed
 */
export async function refreshStates(
  write: Write,
  ids: Iterable<string>,
  changes: ReadonlyMap<string, MemoryChange> = new Map(),
): Promise<ChangedState[]> {
  const { tx } = write;
  const changed: ChangedState[] = [];
  for (const chunk of chunksOf([...new Set([...ids, ...changes.keys()])])) {
    const incoming = await tx.relationships.incomingTypes(chunk);
    // Ordered, because versions are numbered in the order in which they are made.
    const memories = (await tx.memories.findMany(chunk)).sort((a, b) => a.seq - b.seq);
    const parts = await tx.relationships.outdatedParts(memories);
    for (const memory of memories) {
      const change = changes.get(memory.id);
      const previousState = memory.effectiveState;
      const effectiveState = effectiveStateOf(incoming.get(memory.id) ?? []);
      const outdatedParts = parts.get(memory.id) ?? null;
      const isSame =
        effectiveState === previousState && isDeepStrictEqual(outdatedParts, memory.outdatedParts);
      if (!isSame) changed.push({ memoryId: memory.id, previousState });
      else if (!change) continue;
      await changeMemory(write, memory, { ...change, effectiveState, outdatedParts });
    }
  }
  return changed;
}
