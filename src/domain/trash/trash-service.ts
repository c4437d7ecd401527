import type { Clock } from '../../lib/clock.ts';
import { groupBy } from '../../lib/collections.ts';
import { artifactTrash } from '../artifacts/artifact-service.ts';
import { communityMergeTrash } from '../communities/community-service.ts';
import { ConversationMover, movedAtOnce } from '../conversations/conversation-mover.ts';
import { conversationTrash } from '../conversations/conversation-trash.ts';
import { entityMergeTrash, entityTrash } from '../entities/merge-entities.ts';
import { factTrash } from '../facts/fact-service.ts';
import { nameConflict } from '../memories/create-memory.ts';
import { memoryTrash, restoreDeleted } from '../memories/memory-trash.ts';
import { narrativeTrash } from '../narratives/narrative-service.ts';
import { inPart, notFound } from '../shared/errors.ts';
import type { Page } from '../shared/page.ts';
import type { Stores, UserWriters } from '../shared/stores.ts';
import { DAY_MS, type EpochMs } from '../shared/time.ts';
import type { UserRef } from '../shared/user-ref.ts';
import { type KeyedAct, type Write, writeAs } from '../shared/write.ts';
import { topicMergeTrash } from '../topics/merge-topics.ts';
import {
  type AfterDelete,
  addCounts,
  type TrashBins,
  type TrashCounts,
  type TrashEntry,
  type TrashKind,
  type TrashListQuery,
} from './trash.ts';
import type { TrashHandler } from './trash-handler.ts';

interface TrashServiceDeps {
  readonly stores: Stores;
  readonly bins: TrashBins;
  readonly clock: Clock;
  /** How long deleted records are kept; with 0 they are erased in the request that deletes them. */
  readonly keepDays: number;
  /** Drops the process's caches of a user's records. */
  readonly forget: (user: UserRef) => void;
}

export interface Restored {
  readonly entry: TrashEntry;
  readonly counts: TrashCounts;
}

const entriesAtOnce = 100;
const usersAtOnce = 100;

/** Whether a conversation in the trash is moved in several transactions. */
const isLarge = (conversation: TrashEntry | undefined): conversation is TrashEntry =>
  Number(conversation?.counts.memories ?? 0) > movedAtOnce;

/** The trash: lists, restores and erases deleted records. */
export class TrashService {
  readonly #deps: TrashServiceDeps;
  readonly #mover: ConversationMover;

  constructor(deps: TrashServiceDeps) {
    this.#deps = deps;
    this.#mover = new ConversationMover(deps);
  }

  /** Finishes deletes and restores of conversations that the last stop of the process interrupted. */
  finishMoves(user: UserRef): Promise<void> {
    return this.#mover.finish(user);
  }

  list(user: UserRef, query: TrashListQuery): Promise<Page<TrashEntry>> {
    return this.#deps.stores.forUser(user).trash.list(query);
  }

  expiresAt({ deletedAt }: TrashEntry): EpochMs {
    return deletedAt + this.#deps.keepDays * DAY_MS;
  }

  /** @throws 404; 409 if a name to restore is taken, or if the owner is in the trash */
  async restore(user: UserRef, id: string, act?: KeyedAct<Restored>): Promise<Restored> {
    const large = await this.#restoreLarge(user, id, act);
    if (large?.id === id && !act) return { entry: large, counts: large.counts };
    return this.#write(
      user,
      async (write) => {
        if (large?.id === id) return { entry: large, counts: large.counts };
        const entry = await write.tx.trash.find(id);
        if (!entry || entry.erasedAt !== null) throw notFound('trash_entry');
        const counts = await trashHandlers[entry.kind].restore(write, entry);
        await write.tx.trash.remove(id);
        return { entry, counts: addCounts(large?.counts ?? {}, counts) };
      },
      act,
    );
  }

  /**
   * Restores deleted memories in one transaction, and after it those of large
   * conversations in the trash; passes over entries that are gone.
   * @throws 409 as `restore`, and none of the transaction is restored
   */
  async restoreMemories(user: UserRef, ids: readonly string[]): Promise<void> {
    const ofLarge = await this.#write(user, async (write) => {
      const { trash, memories } = write.tx;
      const entries: TrashEntry[] = [];
      for (const id of ids) {
        const entry = await trash.find(id);
        if (entry && entry.erasedAt === null) entries.push(entry);
      }
      const left = new Set<string>();
      for (const [conversationId, deleted] of groupBy(
        await memories.findTrashed(entries.map(({ recordId }) => recordId)),
        (memory) => memory.conversationId,
      ))
        if (isLarge(await trash.findByRecord('conversation', conversationId)))
          for (const { id } of deleted) left.add(id);
      const single = entries.filter(({ recordId }) => !left.has(recordId));
      await restoreDeleted(write, single);
      for (const { id } of single) await trash.remove(id);
      return entries.filter(({ recordId }) => left.has(recordId));
    });
    for (const { id } of ofLarge) await this.restore(user, id);
  }

  /**
   * Restores a conversation with many memories in many transactions, if the entry is one or is a memory of one.
   * @returns the entry of the conversation, which is removed
   */
  async #restoreLarge(
    user: UserRef,
    id: string,
    act: KeyedAct<Restored> | undefined,
  ): Promise<TrashEntry | undefined> {
    const begun = await this.#mover.alone(user, async (write) => {
      const { trash } = write.tx;
      const noted = await act?.begin(write);
      if (noted !== undefined) return JSON.parse(noted) as TrashEntry;
      const entry = await trash.find(id);
      const large = entry && (await conversationOf(write.tx, entry));
      if (!isLarge(large) || large.erasedAt !== null) return undefined;
      await trash.startMove(large.id, 'restoring', 0);
      // Its title is text of the user, and not shown in the response.
      await act?.note(write, JSON.stringify({ ...large, title: '' }));
      return large;
    });
    if (!begun) return undefined;
    await this.#mover.finish(user).catch(inPart('The restore has begun, but is not complete yet'));
    if (await this.#deps.stores.forUser(user).trash.find(begun.id)) throw nameConflict();
    return begun;
  }

  /** Returns when nothing of the record is left in the store. @throws 404 */
  async erase(user: UserRef, id: string): Promise<void> {
    if (!(await this.#deps.stores.forUser(user).trash.find(id))) throw notFound('trash_entry');
    await this.#eraseAll(user, [id]);
  }

  /** Whether deleted records can be restored: the trash keeps them for a day at least. */
  get isKeeping(): boolean {
    return this.#deps.keepDays > 0;
  }

  /** Erases the deleted records at once if the trash keeps nothing (0 days). */
  readonly afterDelete: AfterDelete = async (user) => {
    if (!this.isKeeping) await this.#eraseDueOf(user);
  };

  /**
   * Erases records whose time in the trash is over, and the rest of those whose erasing was interrupted.
   * @returns the number of erased entries; ends early, between two of them, when `signal` aborts
   */
  async eraseDue(signal?: AbortSignal): Promise<number> {
    let erased = 0;
    for (;;) {
      const users = await this.#deps.bins.usersWithDue(this.#dueBefore(), usersAtOnce);
      if (users.length === 0) return erased;
      for (const user of users) {
        erased += await this.#eraseDueOf(user, signal);
        if (signal?.aborted) return erased;
      }
    }
  }

  #dueBefore(): EpochMs {
    return this.#deps.clock.now() - this.#deps.keepDays * DAY_MS;
  }

  async #eraseDueOf(user: UserRef, signal?: AbortSignal): Promise<number> {
    let erased = 0;
    while (!signal?.aborted) {
      const ids = await this.#deps.stores.forUser(user).trash.due(this.#dueBefore(), entriesAtOnce);
      if (ids.length === 0) return erased;
      erased += await this.#eraseAll(user, ids, signal);
    }
    return erased;
  }

  /** The entries go last, so that an erasing that was interrupted is taken up again. */
  async #eraseAll(user: UserRef, ids: readonly string[], signal?: AbortSignal): Promise<number> {
    const done: string[] = [];
    for (const id of ids) {
      if (signal?.aborted) break;
      await this.#eraseRecord(user, id).catch(notErased);
      done.push(id);
    }
    this.#deps.forget(user);
    await this.#deps.bins.scrub(user);
    for (const id of done) await this.#write(user, ({ tx }) => tx.trash.remove(id)).catch(notErased);
    return done.length;
  }

  async #eraseRecord(user: UserRef, id: string): Promise<void> {
    await this.#mover.finish(user);
    const entry = await this.#write(user, async ({ tx, at }) => {
      const found = await tx.trash.find(id);
      if (found?.erasedAt === null) await tx.trash.beginErasing(id, at);
      return found;
    });
    // Another request erased or restored it first.
    if (!entry) return;
    let after: string | undefined = '';
    while (after !== undefined) {
      const from: string = after;
      after = await this.#write(user, ({ tx }) => tx.responses.eraseWith(entry.recordId, from));
    }
    const handler = trashHandlers[entry.kind];
    while (await this.#write(user, (write) => handler.eraseStep(write, entry)));
    await this.#write(user, ({ tx }) => tx.trash.blank(id));
  }

  #write<T>(user: UserRef, body: (write: Write) => Promise<T>, act?: KeyedAct<T>): Promise<T> {
    return writeAs(this.#deps, user, body, act);
  }
}

const notErased = inPart('The delete is done, but not all of the text is erased from the store yet');

/** The deleted conversation that comes back with an entry. */
async function conversationOf(tx: UserWriters, entry: TrashEntry): Promise<TrashEntry | undefined> {
  if (entry.kind === 'conversation') return entry;
  if (entry.kind !== 'memory') return undefined;
  const [memory] = await tx.memories.findTrashed([entry.recordId]);
  return memory && tx.trash.findByRecord('conversation', memory.conversationId);
}

/** The handler of each kind of record that can be deleted. */
const trashHandlers: Readonly<Record<TrashKind, TrashHandler>> = {
  memory: memoryTrash,
  conversation: conversationTrash,
  fact: factTrash,
  artifact: artifactTrash,
  narrative: narrativeTrash,
  'topic-merge': topicMergeTrash,
  'community-merge': communityMergeTrash,
  entity: entityTrash,
  'entity-merge': entityMergeTrash,
};
