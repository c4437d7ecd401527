import { groupBy } from '../../lib/collections.ts';
import { hideSecrets } from '../../lib/hide-secrets.ts';
import { newNeighbouringIds } from '../../lib/random.ts';
import type { Memory } from '../memories/memory.ts';
import { notFound } from '../shared/errors.ts';
import type { EpochMs } from '../shared/time.ts';
import type { Write } from '../shared/write.ts';
import { type Conversation, sessionGapMs } from './conversation.ts';

/** The fields that decide the conversation of a new memory. */
interface PlaceRequest {
  /** `NEW` or the id of one of the user's conversations. */
  readonly conversationId?: string;
  /** Used only if `conversationId` is absent. */
  readonly agentSessionId?: string;
  /** Creation time of the memory, which decides its implicit conversation and session. */
  readonly createdAt: EpochMs;
  /** Becomes the title of a conversation that is created for it. */
  readonly content: string;
}

export interface MemoryPlace {
  readonly conversationId: string;
  readonly sessionId: string;
  readonly sessionCreated: boolean;
  readonly conversationCreated: boolean;
}

const titleFromContentMax = 80;

/**
 * The beginning of a text on one line: its first 80 UTF-16 units, cut at the last space
 * if that is among the last 30. Titles are shown in lists, so secrets are hidden.
 */
export function titleFrom(content: string): string {
  const line = hideSecrets(content.slice(0, 1000)).replace(/\s+/g, ' ').trim();
  if (line === '') return 'Untitled';
  if (line.length <= titleFromContentMax) return line;
  const cut = line.slice(0, titleFromContentMax);
  const space = cut.lastIndexOf(' ');
  const end = space >= titleFromContentMax - 30 ? space : titleFromContentMax - 1;
  const kept = cut.slice(0, end).replace(/[\ud800-\udbff]$/, '');
  return `${kept}…`;
}

/** Whether a memory written at `at` continues the last activity of the conversation. */
export function continuesActivity(conversation: Conversation, at: EpochMs): boolean {
  return at - conversation.lastActivityAt <= sessionGapMs;
}

/** Id of the conversation to append to, which may not exist; undefined to create one. */
async function conversationIdFor(
  { tx, at }: Write,
  { conversationId, agentSessionId, createdAt }: PlaceRequest,
): Promise<string | undefined> {
  if (conversationId !== undefined) return conversationId === 'NEW' ? undefined : conversationId;
  if (agentSessionId !== undefined) return (await tx.conversations.findByAgentSession(agentSessionId))?.id;
  // A memory written now joins the newest conversation, even after the
  // clock was set back; an imported one joins a conversation of its time.
  const until = createdAt === at ? Number.MAX_SAFE_INTEGER : createdAt + sessionGapMs;
  const newest = await tx.conversations.findNewestImplicit(until);
  return newest && continuesActivity(newest, createdAt) ? newest.id : undefined;
}

/**
 * Chooses the conversation and session of a memory about to be written, creates the
 * conversation if necessary, and counts the memory into it. ADR 4 has the rules.
 * @throws 404 if `conversationId` is not one of the user's
 */
export async function placeMemory(write: Write, request: PlaceRequest): Promise<MemoryPlace> {
  const { tx, at } = write;
  const conversationId = await conversationIdFor(write, request);
  if (conversationId === undefined) return startConversation(write, request);
  const proposed = newSessionId();
  const { createdAt } = request;
  const goesOnSince = createdAt - sessionGapMs;
  const added = await tx.conversations.addMemory(conversationId, {
    at,
    createdAt,
    goesOnSince,
    newSessionId: proposed,
  });
  if (added === undefined) throw notFound('conversation');
  const { sessionId, titleFollows } = added;
  if (titleFollows) await retitle(write, conversationId, titleFrom(request.content));
  return { conversationId, sessionId, sessionCreated: sessionId === proposed, conversationCreated: false };
}

/**
 * Creates a conversation. Its terms are computed here because only the transaction knows that one is created.
 */
async function startConversation({ tx, at, indexer }: Write, request: PlaceRequest): Promise<MemoryPlace> {
  const agentSessionId = request.conversationId === undefined ? (request.agentSessionId ?? null) : null;
  const sessionId = newSessionId();
  const conversation: Conversation = {
    id: newConversationId(),
    title: titleFrom(request.content),
    summary: null,
    createdAt: request.createdAt,
    updatedAt: at,
    lastActivityAt: request.createdAt,
    memoryCount: 1,
    agentSessionId,
    implicit: request.conversationId === undefined && agentSessionId === null,
    lastSessionId: sessionId,
    autoTitled: true,
    externalId: null,
    metadata: null,
  };
  await tx.conversations.insert(conversation, indexer.conversation(conversation.title, null));
  return { conversationId: conversation.id, sessionId, sessionCreated: true, conversationCreated: true };
}

/** Changes the title of a conversation, unless it is the same. */
export async function retitle({ tx, indexer }: Write, id: string, title: string): Promise<void> {
  const now = await tx.conversations.titleOf(id);
  if (!now || now.title === title) return;
  await tx.conversations.retitle(id, title, indexer.conversation(title, now.summary));
}

const conversationIds = newNeighbouringIds();
const sessionIds = newNeighbouringIds();

export function newConversationId(): string {
  return `conv_${conversationIds()}`;
}

function newSessionId(): string {
  return `session_${sessionIds()}`;
}

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
