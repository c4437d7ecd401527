import { randomUUID } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import type { EffectiveState, Memory } from '../memories/memory.ts';
import { AppError, invalidInput, memoryNotFound } from '../shared/errors.ts';
import type { Stores } from '../shared/stores.ts';
import type { UserRef } from '../shared/user-ref.ts';
import type { Write } from '../shared/write.ts';
import { refreshStates } from './refresh-states.ts';
import type { Relationship, RelationshipType } from './relationship.ts';
import type { Direction } from './relationship-store.ts';
import { supersessionPath } from './supersession-path.ts';

export interface RelationshipInput {
  readonly targetMemoryId: string;
  readonly type: RelationshipType;
  /** 0 to 1. */
  readonly confidence: number;
  readonly reason: string | null;
}

export interface RepairedState {
  readonly memoryId: string;
  readonly previousState: EffectiveState;
}

/** Memories looked at in one transaction of a repair, so that other writes wait for one batch at most. */
const repairedAtOnce = 100;

export const relationshipNotFound = () =>
  new AppError('RELATIONSHIP_NOT_FOUND', 'No such relationship of this memory.');

/** Edges that people state between their memories; the state of what they point to follows in the same transaction. */
export class RelationshipService {
  readonly #stores: Stores;
  readonly #clock: Clock;

  constructor({ stores, clock }: { readonly stores: Stores; readonly clock: Clock }) {
    this.#stores = stores;
    this.#clock = clock;
  }

  /** @throws 404 for a memory that is not there, 409 for one that is there or a circle of SUPERSEDES, 422 */
  create(user: UserRef, sourceId: string, input: RelationshipInput): Promise<Relationship> {
    return this.#write(user, async (write) => {
      await write.tx.relationships.lock();
      await assertEnds(write, sourceId, input.targetMemoryId);
      await assertNew(write, sourceId, input);
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
    });
  }

  /** Oldest first. @throws 404 */
  async list(user: UserRef, memoryId: string, direction: Direction, limit: number): Promise<Relationship[]> {
    const { memories, relationships } = this.#stores.forUser(user);
    if (!(await memories.find(memoryId))) throw memoryNotFound();
    return relationships.listOf(memoryId, direction, limit);
  }

  /** Takes an edge of the memory away, whichever end it is; searches as of earlier still know it. @throws 404 */
  delete(user: UserRef, memoryId: string, id: string): Promise<void> {
    return this.#write(user, async (write) => {
      const { tx, at } = write;
      await tx.relationships.lock();
      if (!(await tx.memories.find(memoryId))) throw memoryNotFound();
      const edge = await tx.relationships.find(id);
      if (!edge || (edge.sourceMemoryId !== memoryId && edge.targetMemoryId !== memoryId))
        throw relationshipNotFound();
      await tx.relationships.remove(id, at);
      await refreshStates(write, [edge.targetMemoryId]);
    });
  }

  /** Gives every memory the state that its edges call for. @returns those that had another */
  async repairStates(user: UserRef): Promise<RepairedState[]> {
    const repaired: RepairedState[] = [];
    for (let after = ''; ; ) {
      const ids = await this.#stores.forUser(user).relationships.withStates(after, repairedAtOnce);
      const last = ids.at(-1);
      if (last === undefined) return repaired;
      repaired.push(...(await this.#write(user, (write) => repair(write, ids))));
      after = last;
    }
  }

  #write<T>(user: UserRef, body: (write: Write) => Promise<T>): Promise<T> {
    return this.#stores.forUser(user).transaction((tx) => body({ tx, at: this.#clock.now() }));
  }
}

async function assertEnds({ tx }: Write, sourceId: string, targetId: string): Promise<void> {
  if (!(await tx.memories.find(sourceId))) throw memoryNotFound();
  if (sourceId === targetId) throw invalidInput('targetMemoryId', 'must be another memory');
  if (!(await tx.memories.find(targetId))) throw memoryNotFound();
}

async function assertNew(
  { tx }: Write,
  sourceId: string,
  { targetMemoryId, type }: RelationshipInput,
): Promise<void> {
  const existing = await tx.relationships.findEqual(sourceId, targetMemoryId, type);
  if (existing) {
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

async function repair(write: Write, ids: readonly string[]): Promise<RepairedState[]> {
  const states = (memories: readonly Memory[]) =>
    new Map(memories.map(({ id, effectiveState }) => [id, effectiveState]));
  const before = states(await write.tx.memories.findMany(ids));
  await refreshStates(write, ids);
  const after = states(await write.tx.memories.findMany(ids));
  return [...before].flatMap(([memoryId, previousState]) =>
    after.get(memoryId) === previousState ? [] : [{ memoryId, previousState }],
  );
}
