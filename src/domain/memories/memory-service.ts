import type { Clock } from '../../lib/clock.ts';
import { AppError, notFound } from '../shared/errors.ts';
import type { Page, PageRequest } from '../shared/page.ts';
import { fillFrom, inPlaces } from '../shared/page-bytes.ts';
import type { Stores } from '../shared/stores.ts';
import type { TextVectors } from '../shared/text-indexer.ts';
import type { EpochMs } from '../shared/time.ts';
import type { UserRef } from '../shared/user-ref.ts';
import { type KeyedAct, type Write, writeAs } from '../shared/write.ts';
import type { AfterDelete } from '../trash/trash.ts';
import { type CreateOutcome, createMany, prepareMany } from './create-many.ts';
import {
  type CreatedMemory,
  type CreateMemoryOptions,
  type CreateRequest,
  createMemory,
  prepareCreate,
} from './create-memory.ts';
import { trashMemories } from './memories-in-trash.ts';
import { jsonBytesMax, type Memory } from './memory.ts';
import { checkedFields, checkedTopics, type MemoryInput } from './memory-input.ts';
import type { FoundMemory, VersionSpan } from './memory-store.ts';
import {
  type AppendInput,
  addVersion,
  appendedContent,
  countVersion,
  type NewVersion,
  type NewVersionInput,
} from './named-memory.ts';
import type { SimilarMemories } from './similar-memories.ts';
import {
  assertRev,
  type BulkResult,
  bulkTag,
  bulkUpdate,
  type ExpectedRevs,
  forEachMemory,
  type TagChange,
  updateMemory,
} from './update-memory.ts';

interface MemoryServiceDeps {
  readonly stores: Stores;
  readonly clock: Clock;
  readonly afterDelete?: AfterDelete;
  /** Absent: creates name no similar memories. */
  readonly similar?: SimilarMemories;
}

/** Reads and changes memories; each call is one transaction of its user. */
export class MemoryService {
  readonly #stores: Stores;
  readonly #clock: Clock;
  readonly #afterDelete: AfterDelete | undefined;
  readonly #similar: SimilarMemories | undefined;

  constructor({ stores, clock, afterDelete, similar }: MemoryServiceDeps) {
    this.#stores = stores;
    this.#clock = clock;
    this.#afterDelete = afterDelete;
    this.#similar = similar;
  }

  #write<T>(user: UserRef, body: (write: Write) => Promise<T>, act?: KeyedAct<T>): Promise<T> {
    return writeAs({ stores: this.#stores, clock: this.#clock }, user, body, act);
  }

  #vectorsOf(user: UserRef, { content }: MemoryInput): readonly TextVectors[] {
    return content === undefined ? [] : this.#stores.forUser(user).indexer.vectors(content);
  }

  /**
   * Creates a memory, or returns the existing one with this `externalId`.
   * @throws 404 for an unknown conversation or `supersedes`; 409 if
   * the name is taken or the existing memory is in the trash; 422
   */
  async create(
    user: UserRef,
    input: CreateRequest['input'],
    options: CreateMemoryOptions,
    act?: KeyedAct<CreatedMemory>,
  ): Promise<CreatedMemory> {
    const prepared = prepareCreate(this.#stores.forUser(user).indexer, { input, options });
    const found = (await this.#similar?.to(user, input.content)) ?? [];
    const similar = found.filter(({ memory }) => memory.id !== options.supersedes);
    const create = (write: Write) => createMemory(write, prepared);
    const named = async (write: Write): Promise<CreatedMemory> => {
      const created = await create(write);
      return created.isExisting ? created : { ...created, similar };
    };
    const created = await this.#write(user, similar.length === 0 ? create : named, act);
    if (!created.isExisting) this.#similar?.wrote(user, created.memory);
    return created;
  }

  /**
   * Creates memories in one transaction, each as `create` does; those that a rule
   * refuses do not stop the others. Similar memories are not named.
   * @param requests at most `createdAtOnce`; refusals stay in their places
   * @param importId the import that counts them, which exists and which created memories then belong to
   */
  async createMany(
    user: UserRef,
    requests: readonly (CreateRequest | AppError)[],
    { importId, act }: { importId?: string; act?: KeyedAct<readonly CreateOutcome[]> } = {},
  ): Promise<readonly CreateOutcome[]> {
    const prepared = await prepareMany(this.#stores.forUser(user).indexer, requests);
    const create = (write: Write) => createMany(write, prepared, importId);
    const outcomes = await this.#write(user, create, act);
    for (const outcome of outcomes)
      if (!(outcome instanceof AppError) && (!outcome.isExisting || outcome.again === 'updated'))
        this.#similar?.wrote(user, outcome.memory);
    return outcomes;
  }

  /** @throws 404 */
  async get(user: UserRef, id: string): Promise<Memory> {
    const memory = await this.#stores.forUser(user).memories.find(id);
    if (!memory) throw notFound('memory');
    return memory;
  }

  /** The versions of a memory, newest first. @throws 404 */
  async listVersions(
    user: UserRef,
    id: string,
    page: PageRequest,
  ): Promise<Page<VersionSpan & { readonly memory: Memory }>> {
    const { memories } = this.#stores.forUser(user);
    const spans = await memories.listVersions(id, page);
    if (spans.count === 0) throw notFound('memory');
    const read = async (some: readonly VersionSpan[]) => {
      const docs = some.map(({ doc }) => doc);
      const found = inPlaces(docs, await memories.findByDocs(docs), (memory) => memory.doc);
      return some.map((span, i) => {
        const memory = found[i];
        return memory && { ...span, memory };
      });
    };
    return fillFrom(spans, read, ({ memory }) => jsonBytesMax(memory));
  }

  /** The memory and the parts of its version. @throws 404 */
  async getWithParts(user: UserRef, id: string): Promise<FoundMemory> {
    const found = await this.#stores.forUser(user).memories.findWithParts(id);
    if (!found) throw notFound('memory');
    return found;
  }

  /** The memory as it was at a time. @throws 404, also for a time before it was written */
  async getAsOf(user: UserRef, id: string, at: EpochMs): Promise<Memory> {
    const found = await this.#stores.forUser(user).memories.findAsOf(id, at);
    if (!found) throw notFound('memory');
    return found;
  }

  /**
   * The head of a named chain. A head that another memory supersedes is not found
   * by name, as in searches, but still by id, in its history and for a new version.
   * @throws 404, with `details.headId` if the head is superseded
   */
  async getNamed(user: UserRef, name: string): Promise<Memory> {
    const head = await this.#head(user, name);
    if (head.effectiveState !== 'superseded') return head;
    throw new AppError(
      'MEMORY_NOT_FOUND',
      'The newest version of this name is superseded by another memory.',
      {
        details: { headId: head.id },
      },
    );
  }

  async #head(user: UserRef, name: string): Promise<Memory> {
    const memory = await this.#stores.forUser(user).memories.findByName(name);
    if (!memory) throw notFound('memory');
    return memory;
  }

  /** The memories among `ids`, each once, in the requested order. */
  async findMany(user: UserRef, ids: readonly string[]): Promise<Memory[]> {
    const requested = [...new Set(ids)];
    const found = await this.#stores.forUser(user).memories.findMany(requested);
    const byId = new Map(found.map((memory) => [memory.id, memory]));
    return requested.flatMap((id) => byId.get(id) ?? []);
  }

  /** @throws 404; 409 if the name is taken; 412, 422 */
  async update(user: UserRef, id: string, input: MemoryInput, expected?: ExpectedRevs): Promise<Memory> {
    const vectors = this.#vectorsOf(user, input);
    const updated = await this.#write(user, async (write) => {
      const memory = await write.tx.memories.find(id);
      if (!memory) throw notFound('memory');
      assertRev(memory, expected);
      return updateMemory(write, memory, input, vectors);
    });
    if (input.content !== undefined) this.#similar?.wrote(user, updated);
    return updated;
  }

  /** Moves a memory to the trash. @returns the id of its entry in the trash. @throws 404, 412 */
  async delete(user: UserRef, id: string, expected?: ExpectedRevs): Promise<string> {
    const [entryId] = await this.#write(user, async (write) => {
      const memory = await write.tx.memories.find(id);
      if (!memory) throw notFound('memory');
      assertRev(memory, expected);
      return trashMemories(write, [memory]);
    });
    await this.#afterDelete?.(user);
    return entryId;
  }

  /**
   * @throws 404 for an unknown name, conversation or `supersedes`;
   * 409 if `expectedHeadId` is not the head; 412, 422
   */
  async addVersion(
    user: UserRef,
    name: string,
    input: NewVersionInput,
    expected?: ExpectedRevs,
  ): Promise<NewVersion> {
    const vectors = this.#vectorsOf(user, input);
    const added = await this.#write(user, async (write) => {
      const head = await write.tx.memories.findByName(name);
      if (!head) throw notFound('memory');
      assertRev(head, expected);
      const made = await addVersion(write, head, input, vectors);
      if (input.importId !== undefined) await countVersion(write, input.importId, made);
      return made;
    });
    if (!added.kept) this.#similar?.wrote(user, added.memory);
    return added;
  }

  /**
   * Adds a version that appends a block to the text of the head. The head
   * is read in the same transaction, so no concurrent append is lost.
   * @throws 404 for an unknown name or conversation; 413 if the text would be too long; 422
   */
  async append(
    user: UserRef,
    name: string,
    input: AppendInput,
    act?: KeyedAct<NewVersion>,
  ): Promise<NewVersion> {
    const { block: _, separator: __, ...stated } = input;
    const expected = appendedContent(await this.#head(user, name), input);
    const vectors = this.#vectorsOf(user, { content: expected });
    const append = async (write: Write) => {
      const head = await write.tx.memories.findByName(name);
      if (!head) throw notFound('memory');
      const content = appendedContent(head, input);
      // A concurrent append changed the text.
      const own = content === expected ? vectors : write.indexer.vectors(content);
      return addVersion(write, head, { ...stated, content }, own);
    };
    return this.#write(user, append, act);
  }

  /** A page of the versions of a named memory, newest first. @throws 404 */
  async history(user: UserRef, name: string, request: PageRequest): Promise<Page<Memory>> {
    const { chainId, doc } = await this.#head(user, name);
    const { memories } = this.#stores.forUser(user);
    const docs =
      chainId === null
        ? { ...request, items: request.offset === 0 && !request.after ? [doc] : [], count: 1 }
        : await memories.listChainDocs(chainId, request);
    const read = async (some: readonly number[]) =>
      inPlaces(some, await memories.findByDocs(some), (memory) => memory.doc);
    return fillFrom(docs, read, jsonBytesMax);
  }

  /** Moves memories to the trash, each with an entry of its own. */
  async bulkDelete(user: UserRef, ids: readonly string[]): Promise<BulkResult> {
    const result = await this.#write(user, async (write) => {
      const memories: Memory[] = [];
      const done = await forEachMemory(write, ids, async (memory) => memories.push(memory));
      await trashMemories(write, memories);
      return done;
    });
    await this.#afterDelete?.(user);
    return result;
  }

  /** @throws 422 */
  async bulkTag(
    user: UserRef,
    ids: readonly string[],
    change: TagChange,
    act?: KeyedAct<BulkResult>,
  ): Promise<BulkResult> {
    const add = checkedTopics(change.add, 'addTopics');
    const remove = checkedTopics(change.remove, 'removeTopics');
    return this.#write(user, (write) => bulkTag(write, ids, { add, remove }), act);
  }

  /** @throws 422 if the change is invalid for every memory */
  async bulkUpdate(
    user: UserRef,
    ids: readonly string[],
    updates: Omit<MemoryInput, 'name'>,
    act?: KeyedAct<BulkResult>,
  ): Promise<BulkResult> {
    checkedFields(updates);
    const vectors = this.#vectorsOf(user, updates);
    return this.#write(user, (write) => bulkUpdate(write, ids, updates, vectors), act);
  }
}
