import { groupBy } from '../../lib/collections.ts';
import type { Memory } from '../memories/memory.ts';
import type { Write } from '../shared/write.ts';
import { retitle, titleFrom } from './place-memory.ts';

type Member = Pick<Memory, 'content' | 'conversationId' | 'createdAt' | 'seq' | 'sessionId'>;

/**
 * Titles a conversation by its oldest live memory (in the trash: the oldest that is
 * restored with it), or `Untitled` if it has none. A title that a client chose stays.
 * @param mayChange whether the current title may be out of date
 */
async function refreshTitle(write: Write, id: string, mayChange: (title: string) => boolean): Promise<void> {
  const { tx } = write;
  const named = await tx.conversations.titleOf(id);
  if (!named?.autoTitled || !mayChange(named.title)) return;
  // In an empty conversation, the search for the first memory would read all later writes of the user.
  const first = named.memoryCount > 0 ? await tx.memories.firstContent(id) : undefined;
  await retitle(write, id, titleFrom(first ?? ''));
}

/** Changes the title if it came from one of `texts`, which are no longer live. */
export async function dropTitle(write: Write, id: string, texts: readonly string[]): Promise<void> {
  await refreshTitle(write, id, (title) => texts.some((text) => titleFrom(text) === title));
}

/** Removes memories from the counts of their conversations, and updates titles and last activity. */
export async function leaveConversations(write: Write, memories: readonly Member[]): Promise<void> {
  for (const [id, members] of groupBy(memories, ({ conversationId }) => conversationId)) {
    await write.tx.conversations.removeMemories(id, members.length);
    const texts = members.map(({ content }) => content);
    await dropTitle(write, id, texts);
    await dropActivity(write, id, members);
  }
}

/** Updates the activity only if the newest memory left: older ones do not determine it. */
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

/** The opposite of `leaveConversations`, for a restored memory. */
export async function returnToConversation(write: Write, memory: Member): Promise<void> {
  const { conversations } = write.tx;
  const { conversationId, createdAt, sessionId } = memory;
  await conversations.returnMemories(conversationId, 1);
  await refreshTitle(write, conversationId, () => true);
  const conversation = await conversations.find(conversationId);
  if (!conversation || createdAt < conversation.lastActivityAt) return;
  await conversations.setActivity(conversationId, { at: createdAt, sessionId });
}
