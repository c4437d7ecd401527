import { randomUUID } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import { titleFrom } from '../conversations/place-memory.ts';
import type { Memory } from '../memories/memory.ts';
import { invalidInput, notFound } from '../shared/errors.ts';
import {
  assertExternalId,
  digestOf,
  type Ensured,
  existingRecord,
  type FromElsewhere,
  importAgain,
} from '../shared/external-id.ts';
import type { Page, PageRequest } from '../shared/page.ts';
import { assertLength } from '../shared/storable-text.ts';
import type { Stores, UserWriters } from '../shared/stores.ts';
import type { FactWords } from '../shared/text-indexer.ts';
import type { EpochMs } from '../shared/time.ts';
import type { UserRef } from '../shared/user-ref.ts';
import { type KeyedAct, type Precondition, type Write, writeAs } from '../shared/write.ts';
import type { AfterDelete } from '../trash/trash.ts';
import { ownerInTrash, type TrashHandler } from '../trash/trash-handler.ts';
import { type Fact, type FactListQuery, type FactVersion, factLengthMax, statedConfidence } from './fact.ts';

interface NewFactInput extends FactWords, FromElsewhere {
  readonly confidence?: number;
  /** When it began to hold; null: not stated. */
  readonly validFrom?: EpochMs | null;
  /** When it ceased to hold. */
  readonly validTo?: EpochMs | null;
  /** Memories that state the fact; duplicates are ignored. */
  readonly sourceMemoryIds: readonly string[];
}

type FactChange = Partial<FactWords & Pick<Fact, 'confidence' | 'validFrom' | 'validTo'>>;

/** Fields that an import states, in a fixed order. */
const importedFields = (fact: FactWords & Pick<Fact, 'confidence' | 'validFrom' | 'validTo'>) => [
  fact.subject,
  fact.predicate,
  fact.object,
  fact.confidence,
  fact.validFrom,
  fact.validTo,
];

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
  const { validFrom = null, validTo = null } = fields;
  if (validFrom !== null && validTo !== null && validFrom >= validTo)
    throw invalidInput('validTo', 'must be later than validFrom');
}

/** Moves a fact to the trash. @returns the id of its entry in the trash */
export async function trashFact({ tx, at }: Pick<Write, 'tx' | 'at'>, fact: Fact): Promise<string> {
  await tx.facts.trash(fact.id, at);
  const title = titleFrom(`${fact.subject} ${fact.predicate} ${fact.object}`);
  return tx.trash.insert({ kind: 'fact', recordId: fact.id, title, counts: { facts: 1 } }, at);
}

/** @returns each once, in the order of writing @throws 404 */
async function knownMemories(tx: UserWriters, ids: readonly string[]): Promise<Memory[]> {
  const requested = [...new Set(ids)];
  const found = await tx.memories.findMany(requested);
  if (found.length < requested.length) throw notFound('memory');
  return found.sort((a, b) => a.seq - b.seq);
}

/** Gives a fact the fields of its record in an import, if that has changed and the fact was not edited here. */
function importFactAgain(
  { tx, at, indexer }: Write,
  fact: Fact,
  stated: FactWords & Pick<Fact, 'confidence' | 'validFrom' | 'validTo'>,
): Promise<Ensured<Fact>> {
  const apply = async () => {
    const changed = { ...fact, ...stated, updatedAt: at };
    await tx.facts.replace(changed, indexer.fact(changed));
    return (await tx.facts.find(fact.id)) ?? changed;
  };
  const [sent, here] = [importedFields(stated), importedFields(fact)];
  return importAgain(tx.imports, { kind: 'fact', record: fact, sent, here, apply });
}

/** In place of the digest of a fact that an import moved to the trash, since its source did not say it any more. */
const withdrawn = 'withdrawn';

/** Takes such a fact out of the trash, for an import that says it again. @returns whether there was one */
async function bringBack({ imports, trash, facts }: UserWriters, externalId: string): Promise<boolean> {
  const id = await imports.idOf('fact', externalId);
  if (id === undefined || (await imports.digestOf('fact', id)) !== withdrawn) return false;
  const entry = await trash.findByRecord('fact', id);
  if (!entry) return false;
  await facts.restore(id);
  await trash.remove(entry.id);
  const fact = await facts.find(id);
  if (fact) await imports.setDigest('fact', id, digestOf(importedFields(fact)));
  return true;
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
    const { validFrom = null, validTo = null } = input;
    assertExternalId(externalId);
    const stated = { subject, predicate, object, confidence, validFrom, validTo };
    assertFields(stated);
    const document = this.#stores.forUser(user).indexer.fact({ subject, predicate, object });
    return writeAs(
      { stores: this.#stores, clock: this.#clock },
      user,
      async (write) => {
        const { tx, at } = write;
        const isOfImport = importId !== undefined && externalId !== undefined;
        const isBack = isOfImport && (await bringBack(tx, externalId));
        const existing = await existingRecord(tx.imports, {
          kind: 'fact',
          externalId,
          find: (id) => tx.facts.find(id),
        });
        if (existing)
          return importId === undefined
            ? existing
            : {
                ...(await importFactAgain(write, existing.record, stated)),
                ...(isBack && { again: 'updated' }),
              };
        const memories = await knownMemories(tx, input.sourceMemoryIds);
        const fact: Fact = {
          id: randomUUID(),
          ...stated,
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
        const imported = importId && { importId, digest: digestOf(importedFields(stated)) };
        await tx.facts.insert(fact, document, imported || undefined);
        if (importId !== undefined) await tx.imports.countRecord(importId, 'facts', at);
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
      const { confidence = fact.confidence, validFrom = fact.validFrom, validTo = fact.validTo } = change;
      assertFields({ validFrom, validTo });
      const isSame =
        subject === fact.subject &&
        predicate === fact.predicate &&
        object === fact.object &&
        confidence === fact.confidence &&
        validFrom === fact.validFrom &&
        validTo === fact.validTo;
      if (isSame) return fact;
      const stated = { subject, predicate, object, confidence, validFrom, validTo };
      const changed = { ...fact, ...stated, updatedAt: this.#clock.now() };
      await tx.facts.replace(changed, stores.indexer.fact(changed));
      return (await tx.facts.find(id)) ?? changed;
    });
  }

  /**
   * Moves a fact to the trash. @returns the id of its entry in the trash. @throws 404, 412
   * @param options.importId the import that does not say it any more, so that a later one may bring it back
   */
  async delete(
    user: UserRef,
    id: string,
    { assertSeen, importId }: { readonly assertSeen?: Precondition<Fact>; readonly importId?: string } = {},
  ): Promise<string> {
    const entryId = await this.#stores.forUser(user).transaction(async (tx) => {
      const fact = await tx.facts.find(id);
      if (!fact) throw notFound('fact');
      assertSeen?.(fact);
      if (importId !== undefined) await tx.imports.setDigest('fact', id, withdrawn);
      return trashFact({ tx, at: this.#clock.now() }, fact);
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
