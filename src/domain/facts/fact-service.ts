import { randomUUID } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import { titleFrom } from '../conversations/place-memory.ts';
import type { Memory } from '../memories/memory.ts';
import { invalidInput, notFound } from '../shared/errors.ts';
import { assertExternalId, type Ensured, existingRecord, type FromElsewhere } from '../shared/external-id.ts';
import type { Page, PageRequest } from '../shared/page.ts';
import { assertLength } from '../shared/storable-text.ts';
import type { Stores, UserWriters } from '../shared/stores.ts';
import type { FactWords } from '../shared/text-indexer.ts';
import type { UserRef } from '../shared/user-ref.ts';
import { type KeyedAct, type Precondition, writeAs } from '../shared/write.ts';
import type { AfterDelete } from '../trash/trash.ts';
import { ownerInTrash, type TrashHandler } from '../trash/trash-handler.ts';
import { type Fact, type FactListQuery, type FactVersion, factLengthMax, statedConfidence } from './fact.ts';

interface NewFactInput extends FactWords, FromElsewhere {
  readonly confidence?: number;
  /** Memories that state the fact; duplicates are ignored. */
  readonly sourceMemoryIds: readonly string[];
}

type FactChange = Partial<FactWords & Pick<Fact, 'confidence'>>;

interface FactServiceDeps {
  readonly stores: Stores;
  readonly clock: Clock;
  readonly afterDelete?: AfterDelete;
}

/** @throws 422 */
function assertFields(fields: FactChange): void {
  for (const name of ['subject', 'predicate', 'object'] as const) {
    const text = fields[name];
    if (text === undefined) continue;
    assertLength(text, name, factLengthMax[name], 1);
    if (text.trim() === '') throw invalidInput(name, 'must not be blank');
  }
  const { confidence } = fields;
  if (confidence !== undefined && !(confidence >= 0 && confidence <= 1))
    throw invalidInput('confidence', 'must be a number from 0 to 1');
}

/** @returns each once, in the order of writing @throws 404 */
async function knownMemories(tx: UserWriters, ids: readonly string[]): Promise<Memory[]> {
  const requested = [...new Set(ids)];
  const found = await tx.memories.findMany(requested);
  if (found.length < requested.length) throw notFound('memory');
  return found.sort((a, b) => a.seq - b.seq);
}

/** Facts, derived from memories or stated by clients. */
export class FactService {
  readonly #stores: Stores;
  readonly #clock: Clock;
  readonly #afterDelete: AfterDelete | undefined;

  constructor({ stores, clock, afterDelete }: FactServiceDeps) {
    this.#stores = stores;
    this.#clock = clock;
    this.#afterDelete = afterDelete;
  }

  /** @throws 404 */
  async get(user: UserRef, id: string): Promise<Fact> {
    const fact = await this.#stores.forUser(user).facts.find(id);
    if (!fact) throw notFound('fact');
    return fact;
  }

  /** @param includeSuperseded false: only facts that hold now */
  list(
    user: UserRef,
    { includeSuperseded = false, ...query }: FactListQuery & { readonly includeSuperseded?: boolean },
  ): Promise<Page<Fact>> {
    const currentAt = includeSuperseded ? undefined : this.#clock.now();
    return this.#stores.forUser(user).facts.list({ ...query, currentAt });
  }

  /** Words of a fact before each edit, the last edit first. @throws 404 */
  async versions(user: UserRef, id: string, request: PageRequest): Promise<Page<FactVersion>> {
    await this.get(user, id);
    return this.#stores.forUser(user).facts.listVersions(id, request);
  }

  /**
   * Creates a fact, unless one with its external id exists.
   * @throws 404 if the user does not have a source; 409 if the existing one is in the trash; 422
   */
  async create(user: UserRef, input: NewFactInput, act?: KeyedAct<Ensured<Fact>>): Promise<Ensured<Fact>> {
    const { subject, predicate, object, confidence = statedConfidence, externalId, importId } = input;
    assertExternalId(externalId);
    assertFields({ subject, predicate, object, confidence });
    const document = this.#stores.forUser(user).indexer.fact({ subject, predicate, object });
    return writeAs(
      { stores: this.#stores, clock: this.#clock },
      user,
      async ({ tx, at }) => {
        const existing = await existingRecord(tx.facts, 'fact', externalId);
        if (existing) return existing;
        const memories = await knownMemories(tx, input.sourceMemoryIds);
        const fact: Fact = {
          id: randomUUID(),
          subject,
          predicate,
          object,
          confidence,
          sourceMemoryIds: memories.map(({ id }) => id),
          mentions: [],
          sources: [],
          extractedAt: memories.length > 0 ? at : null,
          basis: null,
          isNegated: false,
          isCorrected: false,
          externalId: externalId ?? null,
          createdAt: at,
          updatedAt: at,
        };
        await tx.facts.insert(fact, document, importId);
        return { record: (await tx.facts.find(fact.id)) ?? fact, isExisting: false };
      },
      act,
    );
  }

  /**
   * Applies the fields of `change`; writes nothing if they have these values already. @throws 404, 412, 422
   */
  async update(
    user: UserRef,
    id: string,
    change: FactChange,
    assertSeen?: Precondition<Fact>,
  ): Promise<Fact> {
    assertFields(change);
    const stores = this.#stores.forUser(user);
    return stores.transaction(async (tx) => {
      const fact = await tx.facts.find(id);
      if (!fact) throw notFound('fact');
      assertSeen?.(fact);
      const { subject = fact.subject, predicate = fact.predicate, object = fact.object } = change;
      const { confidence = fact.confidence } = change;
      const isSame =
        subject === fact.subject &&
        predicate === fact.predicate &&
        object === fact.object &&
        confidence === fact.confidence;
      if (isSame) return fact;
      const changed = { ...fact, subject, predicate, object, confidence, updatedAt: this.#clock.now() };
      await tx.facts.replace(changed, stores.indexer.fact(changed));
      return (await tx.facts.find(id)) ?? changed;
    });
  }

  /** Moves a fact to the trash. @returns the id of its entry in the trash. @throws 404, 412 */
  async delete(user: UserRef, id: string, assertSeen?: Precondition<Fact>): Promise<string> {
    const entryId = await this.#stores.forUser(user).transaction(async (tx) => {
      const fact = await tx.facts.find(id);
      if (!fact) throw notFound('fact');
      assertSeen?.(fact);
      const at = this.#clock.now();
      await tx.facts.trash(id, at);
      const title = titleFrom(`${fact.subject} ${fact.predicate} ${fact.object}`);
      return tx.trash.insert({ kind: 'fact', recordId: id, title, counts: { facts: 1 } }, at);
    });
    await this.#afterDelete?.(user);
    return entryId;
  }
}

/**
 * Facts in the trash. A fact with sources is restored only if one
 * of them is live; it stays hidden until a live memory states it.
 */
export const factTrash: TrashHandler = {
  async restore(write, { recordId }) {
    const { facts } = write.tx;
    await facts.restore(recordId);
    if (await facts.find(recordId)) return { facts: 1 };
    const memoryIds = await facts.sourceIds(recordId);
    const live = await write.tx.memories.findMany(memoryIds);
    if (live.length === 0) throw await ownerInTrash(write, 'fact', { memoryIds });
    return { facts: 1 };
  },
  async eraseStep({ tx }, { recordId }) {
    await tx.facts.erase(recordId);
    return false;
  },
};
