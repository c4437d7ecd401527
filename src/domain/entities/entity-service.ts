import type { Clock } from '../../lib/clock.ts';
import { jsonBytesMax, type Memory } from '../memories/memory.ts';
import { invalidInput, notFound } from '../shared/errors.ts';
import type { Page, PageRequest } from '../shared/page.ts';
import { fillFrom, inPlaces } from '../shared/page-bytes.ts';
import { assertLength } from '../shared/storable-text.ts';
import type { Stores } from '../shared/stores.ts';
import type { UserRef } from '../shared/user-ref.ts';
import { type KeyedAct, type Precondition, type Write, writeAs } from '../shared/write.ts';
import type { AfterDelete } from '../trash/trash.ts';
import {
  type DerivedScope,
  type DerivedTotals,
  type Entity,
  type EntityListQuery,
  type EntityNaming,
  type EntityType,
  entityNameMax,
  type MentioningVersion,
  type MentionTotals,
} from './entity.ts';
import { mergeEntities, unmergeEntity } from './merge-entities.ts';

export interface EntityServiceDeps {
  readonly stores: Stores;
  readonly clock: Clock;
  readonly afterDelete?: AfterDelete;
  /** Docs of the user's versions that contain the words of a name; absent if derivation is off. */
  readonly naming?: (userId: number, name: string) => Promise<readonly number[]>;
}

interface EntityChange {
  /** Empty resets the name to the derived one. */
  readonly name?: string;
  readonly type?: EntityType;
}

interface MentioningMemory {
  readonly memory: Memory;
  /** Confidence of the mention, 0 to 1. */
  readonly confidence: number;
}

interface GraphHealth extends MentionTotals {
  readonly memories: number;
  readonly facts: number;
  readonly topics: number;
}

/** Maximum aliases of an entity that are looked up in earlier memories. */
const aliasesMax = 10;

/** Entities that memories mention, as derived and as corrected by people. */
export class EntityService {
  readonly #stores: Stores;
  readonly #clock: Clock;
  readonly #afterDelete: AfterDelete | undefined;
  readonly #naming: EntityServiceDeps['naming'];

  constructor({ stores, clock, afterDelete, naming }: EntityServiceDeps) {
    this.#naming = naming;
    this.#stores = stores;
    this.#clock = clock;
    this.#afterDelete = afterDelete;
  }

  /** @throws 404 */
  async get(user: UserRef, id: string): Promise<Entity> {
    return known(await this.#stores.forUser(user).entities.find(id));
  }

  list(user: UserRef, query: EntityListQuery): Promise<Page<Entity>> {
    return this.#stores.forUser(user).entities.list(query);
  }

  /** Live memories that mention the entity, newest first. @throws 404 */
  async memories(user: UserRef, id: string, request: PageRequest): Promise<Page<MentioningMemory>> {
    const { entities, memories } = this.#stores.forUser(user);
    const page = await entities.listMentions(id, request);
    if (page.count === 0) throw notFound('entity');
    const read = async (some: readonly MentioningVersion[]) => {
      const found = await memories.findByDocs(some.map(({ doc }) => doc));
      const mentioning = new Map(some.map(({ doc, confidence }) => [doc, confidence]));
      const items = found.map((memory) => ({ memory, confidence: mentioning.get(memory.doc) ?? 0 }));
      return inPlaces(
        some.map(({ doc }) => doc),
        items,
        ({ memory }) => memory.doc,
      );
    };
    return fillFrom(page, read, ({ memory }) => jsonBytesMax(memory));
  }

  /** Counts of memories and of the records derived from them. */
  async health(user: UserRef): Promise<GraphHealth> {
    const { entities, facts, topics, memories } = this.#stores.forUser(user);
    return {
      ...(await entities.totals()),
      memories: await memories.count(),
      facts: await facts.count(),
      topics: await topics.count(),
    };
  }

  /**
   * Counts the records derived from the memories within a scope, whose topic is given by id, name or alias.
   */
  async derivedTotals(
    user: UserRef,
    { topic, ...scope }: Omit<DerivedScope, 'topicId'> & { readonly topic?: string },
  ): Promise<DerivedTotals> {
    const { entities, topics } = this.#stores.forUser(user);
    if (topic === undefined) return entities.derivedTotals(scope);
    const known = await topics.find(topic);
    if (!known) return { entities: 0, memoriesWithEntities: 0, facts: 0, topics: 0 };
    return entities.derivedTotals({ ...scope, topicId: known.id });
  }

  /**
   * Corrects the name or type of an entity, which derivation then leaves alone. Earlier
   * memories with the words of the name are derived again, because it is a known name now.
   * @throws 404, 412, 422
   */
  async update(
    user: UserRef,
    id: string,
    change: EntityChange,
    assertSeen?: Precondition<Entity>,
  ): Promise<Entity> {
    const name = change.name?.trim();
    if (name !== undefined) assertLength(name, 'name', entityNameMax);
    if (name === '' && change.name !== '') throw invalidInput('name', 'must not be blank');
    const earlier = await this.#withName(user, id, name);
    return this.#write(user, async (write) => {
      const { entities } = write.tx;
      const entity = known(await entities.find(id));
      assertSeen?.(entity);
      const naming = await namingOf(write, entity, { name, type: change.type });
      if (naming.name === entity.name && naming.type === entity.type) return entity;
      await entities.rename(entity.id, naming, write.at);
      if (naming.isCorrected) await write.tx.derivation.deriveAgain(earlier, entity.id);
      return known(await entities.find(entity.id));
    });
  }

  /**
   * Merges the source into the target. @returns the target @throws 404; 422 if both ids name the same entity
   */
  merge(user: UserRef, source: string, target: string, act?: KeyedAct<Entity>): Promise<Entity> {
    return this.#write(user, (write) => mergeEntities(write, source, target), act);
  }

  /** Separates a merged entity. @returns that entity @throws 404; 422 if it was not merged */
  unmerge(user: UserRef, id: string, act?: KeyedAct<Entity>): Promise<Entity> {
    return this.#write(user, (write) => unmergeEntity(write, id), act);
  }

  /**
   * Moves an entity to the trash: memories that mention it, now or later, do not show it.
   * @returns the id of its entry in the trash. @throws 404, 412
   */
  async delete(user: UserRef, id: string, assertSeen?: Precondition<Entity>): Promise<string> {
    const entryId = await this.#write(user, async ({ tx, at }) => {
      const entity = known(await tx.entities.find(id));
      assertSeen?.(entity);
      await tx.entities.trash(entity.id, at);
      const entry = { kind: 'entity', recordId: entity.id, title: entity.name } as const;
      return tx.trash.insert({ ...entry, counts: { entities: 1 } }, at);
    });
    await this.#afterDelete?.(user);
    return entryId;
  }

  /** Docs of the versions that contain the words of its new or current name, or of an alias. */
  async #withName(user: UserRef, id: string, given: string | undefined): Promise<readonly number[]> {
    if (!this.#naming) return [];
    const entity = await this.#stores.forUser(user).entities.find(id);
    if (!entity) return [];
    const docs = new Set<number>();
    for (const name of new Set([given || entity.name, entity.name, ...entity.aliases.slice(0, aliasesMax)]))
      for (const doc of await this.#naming(user.id, name)) docs.add(doc);
    return [...docs];
  }

  #write<T>(user: UserRef, body: (write: Write) => Promise<T>, act?: KeyedAct<T>): Promise<T> {
    return writeAs({ stores: this.#stores, clock: this.#clock }, user, body, act);
  }
}

function known(entity: Entity | undefined): Entity {
  if (!entity) throw notFound('entity');
  return entity;
}

async function namingOf({ tx }: Write, entity: Entity, change: EntityChange): Promise<EntityNaming> {
  const found = (await tx.entities.foundName(entity.id)) ?? entity.name;
  const { name = entity.name, type = entity.type } = change;
  const shown = name === '' ? found : name;
  return { name: shown, type, isCorrected: shown !== found || type !== entity.foundType };
}
