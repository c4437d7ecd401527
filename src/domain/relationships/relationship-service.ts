import { randomUUID } from 'node:crypto';
import { chunksOf } from '../../lib/chunks.ts';
import type { Clock } from '../../lib/clock.ts';
import { throttled } from '../../lib/throttle.ts';
import { AppError, invalidInput, notFound } from '../shared/errors.ts';
import type { Stores } from '../shared/stores.ts';
import type { UserRef } from '../shared/user-ref.ts';
import { type KeyedAct, type Write, writeAs } from '../shared/write.ts';
import { type EvidenceTexts, evidenceTextsOf } from './evidence-texts.ts';
import { type ChangedState, refreshStates } from './refresh-states.ts';
import { effectiveStateOf, type Relationship, type RelationshipType } from './relationship.ts';
import type { Direction, RelationshipReader, StoredState } from './relationship-store.ts';
import { supersessionPath } from './supersession-path.ts';

export interface RelationshipInput {
  readonly targetMemoryId: string;
  readonly type: RelationshipType;
  /** 0 to 1. */
  readonly confidence: number;
  readonly reason: string | null;
}

/** Memories that a repair reads at once. */
const readAtOnce = 500;
/** Memories that one transaction of a repair changes at most: as long as that other writes wait. */
const repairedAtOnce = 50;

/** Edges that people state between their memories; the state of what they point to follows in the same transaction. */
export class RelationshipService {
  readonly #stores: Stores;
  readonly #clock: Clock;

  constructor({ stores, clock }: { readonly stores: Stores; readonly clock: Clock }) {
    this.#stores = stores;
    this.#clock = clock;
  }

  /** @throws 404 for a memory that is not there, 409 for one that is there or a circle of SUPERSEDES, 422 */
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

  /** The words that show each of these relationships; undefined for one that was stated. */
  evidenceOf(user: UserRef, edges: readonly Relationship[]): Promise<(EvidenceTexts | undefined)[]> {
    return evidenceTextsOf(this.#stores.forUser(user).foundRelationships, edges);
  }

  /** Takes an edge of the memory away, whichever end it is; searches as of earlier still know it. @throws 404 */
  delete(user: UserRef, memoryId: string, id: string): Promise<void> {
    return this.#write(user, async (write) => {
      const { tx, at } = write;
      if (!(await tx.memories.find(memoryId))) throw notFound('memory');
      const edge = await tx.relationships.find(id);
      if (!edge || (edge.sourceMemoryId !== memoryId && edge.targetMemoryId !== memoryId))
        throw notFound('relationship');
      await tx.relationships.remove(id, at);
      await refreshStates(write, [edge.targetMemoryId]);
    });
  }

  /**
   * Gives every memory the state that its edges call for. It reads without holding up writers, writes what is wrong in
   * small transactions, and rests between them; what is committed stays where a later step fails.
   * A repair that was interrupted is finished by the next, which names what it repaired itself.
   * @returns those that had another
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
      // Edges may have come and gone since: the transaction decides again.
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

async function wrongOnes(
  relationships: RelationshipReader,
  states: readonly StoredState[],
): Promise<string[]> {
  const incoming = await relationships.incomingTypes(states.map(({ memoryId }) => memoryId));
  return states
    .filter(
      ({ memoryId, effectiveState }) => effectiveState !== effectiveStateOf(incoming.get(memoryId) ?? []),
    )
    .map(({ memoryId }) => memoryId);
}
