import type { Clock } from '../../lib/clock.ts';
import { applyTrashEffects } from '../memories/memories-in-trash.ts';
import type { Memory } from '../memories/memory.ts';
import { inPart, invalidInput, notFound } from '../shared/errors.ts';
import type { Page } from '../shared/page.ts';
import { assertLength } from '../shared/storable-text.ts';
import type { Stores } from '../shared/stores.ts';
import type { UserRef } from '../shared/user-ref.ts';
import { type KeyedAct, type Precondition, type Write, writeAs } from '../shared/write.ts';
import type { AfterDelete } from '../trash/trash.ts';
import {
  type Conversation,
  type ConversationListQuery,
  summaryLengthMax,
  titleLengthMax,
} from './conversation.ts';
import { ConversationMover, movedAtOnce } from './conversation-mover.ts';
import { newConversationId } from './place-memory.ts';

interface ConversationServiceDeps {
  readonly stores: Stores;
  readonly clock: Clock;
  readonly afterDelete?: AfterDelete;
}

interface NewConversationInput {
  readonly title: string;
  readonly summary?: string;
}

const memoriesAtOnce = 500;

/** Reads and changes conversations. */
export class ConversationService {
  readonly #stores: Stores;
  readonly #clock: Clock;
  readonly #mover: ConversationMover;
  readonly #afterDelete: AfterDelete | undefined;

  constructor({ stores, clock, afterDelete }: ConversationServiceDeps) {
    this.#stores = stores;
    this.#clock = clock;
    this.#mover = new ConversationMover({ stores, clock });
    this.#afterDelete = afterDelete;
  }

  /** @throws 404 */
  async get(user: UserRef, id: string): Promise<Conversation> {
    const conversation = await this.#stores.forUser(user).conversations.find(id);
    if (!conversation) throw notFound('conversation');
    return conversation;
  }

  list(user: UserRef, query: ConversationListQuery): Promise<Page<Conversation>> {
    return this.#stores.forUser(user).conversations.list(query);
  }

  /** @throws 422 */
  async create(
    user: UserRef,
    { title, summary }: NewConversationInput,
    act?: KeyedAct<Conversation>,
  ): Promise<Conversation> {
    assertLength(title, 'title', titleLengthMax, 1);
    if (title.trim() === '') throw invalidInput('title', 'must not be blank');
    assertLength(summary ?? '', 'summary', summaryLengthMax);
    const document = this.#stores.forUser(user).indexer.conversation(title, summary || null);
    return writeAs(
      { stores: this.#stores, clock: this.#clock },
      user,
      async ({ tx, at }) => {
        const conversation: Conversation = {
          id: newConversationId(),
          title,
          summary: summary || null,
          createdAt: at,
          updatedAt: at,
          lastActivityAt: at,
          memoryCount: 0,
          agentSessionId: null,
          implicit: false,
          lastSessionId: null,
          autoTitled: false,
        };
        await tx.conversations.insert(conversation, document);
        return conversation;
      },
      act,
    );
  }

  /** Moves a conversation and its memories to the trash. @returns the id of its entry in the trash. @throws 404, 412 */
  async delete(user: UserRef, id: string, assertSeen?: Precondition<Conversation>): Promise<string> {
    const entryId = await this.#mover.alone(user, async (write) => {
      const { tx, at } = write;
      const conversation = await tx.conversations.find(id);
      if (!conversation) throw notFound('conversation');
      assertSeen?.(conversation);
      const { title, memoryCount } = conversation;
      const trashed = memoryCount > movedAtOnce ? undefined : await trashMemoriesOf(write, id);
      await tx.conversations.trash(id, at);
      const counts = { conversations: 1, memories: trashed?.length ?? memoryCount };
      const entry = await tx.trash.insert({ kind: 'conversation', recordId: id, title, counts }, at);
      if (trashed) await applyTrashEffects(write, trashed);
      else await tx.trash.startMove(entry, 'trashing', memoryCount);
      return entry;
    });
    await this.#mover
      .finish(user)
      .catch(inPart('The conversation is deleted, but not all of its memories are in the trash yet'));
    await this.#afterDelete?.(user);
    return entryId;
  }
}

type TrashedMemory = Pick<Memory, 'id' | 'name' | 'chainId'>;

/**
 * Moves the memories to the trash. The conversation keeps
 * its count of memories for the time when both are restored.
 */
async function trashMemoriesOf({ tx, at }: Write, conversationId: string): Promise<TrashedMemory[]> {
  const trashed: TrashedMemory[] = [];
  for (;;) {
    const memories = await tx.memories.listByConversation(conversationId, memoriesAtOnce);
    if (memories.length === 0) return trashed;
    await tx.memories.trash(memories, at);
    for (const { id, name, chainId } of memories) trashed.push({ id, name, chainId });
  }
}
