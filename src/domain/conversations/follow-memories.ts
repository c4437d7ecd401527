import { groupBy } from '../../lib/group-by.ts';
import type { Memory } from '../memories/memory.ts';
import type { Write } from '../shared/write.ts';
import { retitle, titleFrom } from './place-memory.ts';

type Member = Pick<Memory, 'content' | 'conversationId' | 'createdAt' | 'seq' | 'sessionId'>;

/**
 * Gives a conversation that is titled by its memories the title of the oldest one that is live (for one in the trash:
 * that comes back with it), or `Untitled` where there is none. A title that a client gave stays.
 * @param mayChange whether the title that it has may be another one now
 */
async function refreshTitle(write: Write, id: string, mayChange: (title: string) => boolean): Promise<void> {
  const { tx } = write;
  const named = await tx.conversations.titleOf(id);
  if (!named?.autoTitled || !mayChange(named.title)) return;
  // Looking for the first memory of an empty one would read all that the user wrote after it.
  const first = named.memoryCount > 0 ? await tx.memories.firstContent(id) : undefined;
  await retitle(write, id, titleFrom(first ?? ''));
}

/** Another title where it was made from one of `texts`, which are live no more. */
export async function dropTitle(write: Write, id: string, texts: readonly string[]): Promise<void> {
  await refreshTitle(write, id, (title) => texts.some((text) => titleFrom(text) === title));
}

/** Counts memories out of their conversations, whose titles and last activity are those of the memories left. */
export async function leaveConversations(write: Write, memories: readonly Member[]): Promise<void> {
  for (const [id, members] of groupBy(memories, ({ conversationId }) => conversationId)) {
    await write.tx.conversations.removeMemories(id, members.length);
    const texts = members.map(({ content }) => content);
    await dropTitle(write, id, texts);
    await dropActivity(write, id, members);
  }
}

/** Only where the newest memory is among those that left: older ones change nothing. */
async function dropActivity({ tx }: Write, id: string, left: readonly Member[]): Promise<void> {
  const conversation = await tx.conversations.find(id);
  if (!conversation || left.every(({ createdAt }) => createdAt < conversation.lastActivityAt)) return;
  const last = Math.max(...left.map(({ seq }) => seq));
  const newest = conversation.memoryCount > 0 ? await tx.memories.lastBefore(id, last) : undefined;
  await tx.conversations.setActivity(id, {
    at: newest?.createdAt ?? conversation.createdAt,
    sessionId: newest?.sessionId ?? null,
  });
}

/** The opposite of `leaveConversations`, for a memory that is live again. */
export async function returnToConversation(write: Write, memory: Member): Promise<void> {
  const { conversations } = write.tx;
  const { conversationId, createdAt, sessionId } = memory;
  await conversations.returnMemories(conversationId, 1);
  await refreshTitle(write, conversationId, () => true);
  const conversation = await conversations.find(conversationId);
  if (!conversation || createdAt < conversation.lastActivityAt) return;
  await conversations.setActivity(conversationId, { at: createdAt, sessionId });
}
