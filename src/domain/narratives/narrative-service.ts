import { randomUUID } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import { jsonBytesMax, type Memory } from '../memories/memory.ts';
import { checkedTopics } from '../memories/memory-input.ts';
import { invalidInput, notFound } from '../shared/errors.ts';
import type { Page, PageRequest } from '../shared/page.ts';
import { fillFrom, inPlaces } from '../shared/page-bytes.ts';
import { assertLength } from '../shared/storable-text.ts';
import type { Stores } from '../shared/stores.ts';
import type { UserRef } from '../shared/user-ref.ts';
import { type KeyedAct, type Precondition, type Write, writeAs } from '../shared/write.ts';
import type { AfterDelete } from '../trash/trash.ts';
import type { TrashHandler } from '../trash/trash-handler.ts';
import {
  type Narrative,
  type NarrativeChange,
  type NarrativeHead,
  type NarrativeListQuery,
  type NarrativeReader,
  type NarrativeState,
  narrativeTitleLengthMax,
} from './narrative.ts';

interface NarrativeServiceDeps {
  readonly stores: Stores;
  readonly clock: Clock;
  readonly afterDelete?: AfterDelete;
}

interface NewNarrativeInput {
  readonly title: string;
  readonly rootMemoryId: string;
  readonly topics?: readonly string[];
}

interface NarrativeInput extends ThreadMoveRequest {
  readonly title?: string;
  readonly topics?: readonly string[];
}

interface NarrativeTimeline {
  readonly narrative: Narrative;
  /** Memories in the order of the thread, from position `offset` on. */
  readonly page: Page<Memory>;
}

async function found(reader: NarrativeReader, id: string): Promise<Narrative> {
  const narrative = await reader.find(id);
  if (!narrative) throw notFound('narrative');
  return narrative;
}

async function foundHead(reader: NarrativeReader, id: string): Promise<NarrativeHead> {
  const head = await reader.findHead(id);
  if (!head) throw notFound('narrative');
  return head;
}

/** Ordered threads of memories; each change is one transaction of its user. */
export class NarrativeService {
  readonly #stores: Stores;
  readonly #clock: Clock;
  readonly #afterDelete: AfterDelete | undefined;

  constructor({ stores, clock, afterDelete }: NarrativeServiceDeps) {
    this.#stores = stores;
    this.#clock = clock;
    this.#afterDelete = afterDelete;
  }

  #write<T>(user: UserRef, body: (write: Write) => Promise<T>, act?: KeyedAct<T>): Promise<T> {
    return writeAs({ stores: this.#stores, clock: this.#clock }, user, body, act);
  }

  /** @throws 404 */
  get(user: UserRef, id: string): Promise<Narrative> {
    return found(this.#stores.forUser(user).narratives, id);
  }

  async list(user: UserRef, query: NarrativeListQuery): Promise<Page<Narrative>> {
    const { narratives, topics } = this.#stores.forUser(user);
    return narratives.list({ ...query, topics: query.topics && (await topics.allNamesOf(query.topics)) });
  }

  /** @throws 404 */
  async timeline(user: UserRef, id: string, request: PageRequest): Promise<NarrativeTimeline> {
    const { narratives, memories } = this.#stores.forUser(user);
    const narrative = await found(narratives, id);
    const docs = await narratives.memoryDocs(id, request);
    const read = async (some: readonly number[]) =>
      inPlaces(some, await memories.findByDocs(some), (memory) => memory.doc);
    const page = await fillFrom(docs, read, jsonBytesMax);
    return { narrative: { ...narrative, memoryCount: page.count }, page };
  }

  /** @throws 404 for an unknown root, 422 */
  async create(
    user: UserRef,
    { title, rootMemoryId, topics = [] }: NewNarrativeInput,
    act?: KeyedAct<Narrative>,
  ): Promise<Narrative> {
    assertLength(title, 'title', narrativeTitleLengthMax, 1);
    const stated = checkedTopics(topics);
    return this.#write(
      user,
      async ({ tx, at }) => {
        if (!(await tx.memories.find(rootMemoryId))) throw notFound('memory');
        const id = randomUUID();
        await tx.narratives.insert({ id, title, rootMemoryId, topics: stated, at });
        return found(tx.narratives, id);
      },
      act,
    );
  }

  /** @throws 404 for an unknown thread or resolution, 412, 422 */
  async update(
    user: UserRef,
    id: string,
    input: NarrativeInput,
    assertSeen?: Precondition<Narrative>,
  ): Promise<Narrative> {
    const { title, state, resolutionMemoryId } = input;
    if (title !== undefined) assertLength(title, 'title', narrativeTitleLengthMax, 1);
    const topics = input.topics && checkedTopics(input.topics);
    const goesOn = state === 'open' || state === 'reopened';
    return this.#write(user, async (write) => {
      const { narratives } = write.tx;
      if (assertSeen) assertSeen(await found(narratives, id));
      const thread = await foundHead(narratives, id);
      const move = await moveOfThread(write, thread, { state, resolutionMemoryId, goesOn });
      await narratives.change(id, { title, topics, move }, write.at);
      return found(narratives, id);
    });
  }

  /** Moves a thread to the trash; its memories stay. @returns the id of its entry in the trash. @throws 404, 412 */
  async delete(user: UserRef, id: string, assertSeen?: Precondition<Narrative>): Promise<string> {
    const entryId = await this.#write(user, async ({ tx, at }) => {
      if (assertSeen) assertSeen(await found(tx.narratives, id));
      const { title } = await foundHead(tx.narratives, id);
      await tx.narratives.trash(id, at);
      return tx.trash.insert({ kind: 'narrative', recordId: id, title, counts: { narratives: 1 } }, at);
    });
    await this.#afterDelete?.(user);
    return entryId;
  }

  /** @throws 404 for an unknown thread or memory; 422 for a position beyond the end */
  addMemory(
    user: UserRef,
    id: string,
    { memoryId, position }: { readonly memoryId: string; readonly position?: number },
    act?: KeyedAct<Narrative>,
  ): Promise<Narrative> {
    return this.#write(
      user,
      async (write) => {
        const { narratives } = write.tx;
        await placeInThread(write, await foundHead(narratives, id), memoryId, position);
        await narratives.change(id, {}, write.at);
        return found(narratives, id);
      },
      act,
    );
  }

  /**
   * Removes a memory from a thread; the memory itself stays. A
   * thread that loses its resolution keeps its state. @throws 404
   */
  removeMemory(user: UserRef, id: string, memoryId: string): Promise<void> {
    return this.#write(user, async ({ tx, at }) => {
      const { narratives } = tx;
      const { state, resolutionMemoryId } = await foundHead(narratives, id);
      if (!(await narratives.contains(id, memoryId))) throw notFound('narrative_memory');
      await narratives.removeMemory(id, memoryId);
      const move = memoryId === resolutionMemoryId ? { state, resolutionMemoryId: null } : undefined;
      await narratives.change(id, { move }, at);
    });
  }
}

/**
 * Inserts a live memory at `position` of the thread, or at its end; a memory of the thread moves there.
 * @throws 404 for an unknown memory; 422 for a position beyond the end
 */
async function placeInThread(
  { tx }: Write,
  thread: NarrativeHead,
  memoryId: string,
  position: number | undefined,
): Promise<void> {
  if (!(await tx.memories.find(memoryId))) throw notFound('memory');
  const isMove = await tx.narratives.contains(thread.id, memoryId);
  const others = thread.memoryCount - (isMove ? 1 : 0);
  if (position !== undefined && (position < 0 || position > others))
    throw invalidInput('position', `must be 0 to ${others}, the number of other memories in the thread`);
  if (isMove) await tx.narratives.removeMemory(thread.id, memoryId);
  await tx.narratives.insertMemory(thread.id, memoryId, position);
}

interface ThreadMoveRequest {
  readonly state?: NarrativeState;
  /** Null removes it. */
  readonly resolutionMemoryId?: string | null;
}

/**
 * The requested change of state or resolution; undefined if nothing changes. A resolution that is not
 * in the thread is added to it. A thread that is opened again loses its resolution unless one is given.
 * @throws 404 for an unknown resolution
 */
async function moveOfThread(
  write: Write,
  thread: NarrativeHead,
  {
    state = thread.state,
    resolutionMemoryId,
    ...requested
  }: ThreadMoveRequest & { readonly goesOn: boolean },
): Promise<NarrativeChange['move']> {
  const resolution = resolutionMemoryId === undefined && requested.goesOn ? null : resolutionMemoryId;
  if (resolution && !(await write.tx.narratives.contains(thread.id, resolution)))
    await placeInThread(write, thread, resolution, undefined);
  const isSame = resolution === undefined || resolution === thread.resolutionMemoryId;
  return state === thread.state && isSame ? undefined : { state, resolutionMemoryId: resolution };
}

/** Threads in the trash; their memories are separate records. */
export const narrativeTrash: TrashHandler = {
  async restore({ tx }, { recordId }) {
    await tx.narratives.restore(recordId);
    return { narratives: 1 };
  },
  async eraseStep({ tx }, { recordId }) {
    await tx.narratives.erase(recordId);
    return false;
  },
};
