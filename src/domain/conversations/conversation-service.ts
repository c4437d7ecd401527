import type { Clock } from '../../lib/clock.ts';
import { applyTrashEffects } from '../memories/memories-in-trash.ts';
import { type Memory, sessionKeyLengthMax } from '../memories/memory.ts';
import { checkedMetadata, type Metadata } from '../memories/metadata.ts';
import { inPart, invalidInput, notFound } from '../shared/errors.ts';
import {
  assertExternalId,
  createdAtOf,
  type Ensured,
  existingRecord,
  type FromElsewhere,
} from '../shared/external-id.ts';
import type { Page } from '../shared/page.ts';
import { assertLength } from '../shared/storable-text.ts';
import type { Stores } from '../shared/stores.ts';
import type { EpochMs } from '../shared/time.ts';
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
import { newConversationId, retitle } from './place-memory.ts';

interface ConversationServiceDeps {
  readonly stores: Stores;
  readonly clock: Clock;
  readonly afterDelete?: AfterDelete;
}

interface NewConversationInput extends FromElsewhere {
  readonly title: string;
  readonly summary?: string;
  /** Memories of this agent session join it. */
  readonly agentSessionId?: string;
  /** When it began elsewhere, not in the future; default: now. */
  readonly createdAt?: EpochMs;
  readonly metadata?: Metadata | null;
}

/** A conversation without memories. @throws 422 if its time is in the future */
function newConversation(
  { title, summary, agentSessionId, externalId, metadata = null, ...times }: NewConversationInput,
  at: EpochMs,
): Conversation {
  const createdAt = createdAtOf(times, at);
  return {
    id: newConversationId(),
    title,
    summary: summary || null,
    createdAt,
    updatedAt: at,
    lastActivityAt: createdAt,
    memoryCount: 0,
    agentSessionId: agentSessionId ?? null,
    implicit: false,
    lastSessionId: null,
    autoTitled: false,
    externalId: externalId ?? null,
    metadata: checkedMetadata(metadata),
  };
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

  /** Creates a conversation, unless one with its external id exists, which an import may retitle. @throws 409 if that is in the trash, 422 */
  async create(
    user: UserRef,
    input: NewConversationInput,
    act?: KeyedAct<Ensured<Conversation>>,
  ): Promise<Ensured<Conversation>> {
    const { title, summary, agentSessionId, externalId, importId } = input;
    assertExternalId(externalId);
    assertLength(agentSessionId ?? '', 'agentSessionId', sessionKeyLengthMax);
    assertLength(title, 'title', titleLengthMax, 1);
    if (title.trim() === '') throw invalidInput('title', 'must not be blank');
    assertLength(summary ?? '', 'summary', summaryLengthMax);
    const document = this.#stores.forUser(user).indexer.conversation(title, summary || null);
    return writeAs(
      { stores: this.#stores, clock: this.#clock },
      user,
      async (write) => {
        const { tx, at } = write;
        const existing = await existingRecord(tx.imports, {
          kind: 'conversation',
          externalId,
          find: (id) => tx.conversations.find(id),
        });
        if (existing) {
          const { record } = existing;
          if (importId === undefined || record.title === title) return existing;
          await retitle(write, record.id, title);
          return { record: { ...record, title }, isExisting: true, again: 'updated' };
        }
        const record = newConversation(input, at);
        await tx.conversations.insert(record, document, importId);
        if (importId !== undefined) await tx.imports.countRecord(importId, 'conversations', at);
        return { record, isExisting: false };
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
