import type { Metadata } from '../memories/metadata.ts';
import type { Page, PageRequest } from '../shared/page.ts';
import type { IndexedDocument } from '../shared/text-indexer.ts';
import type { EpochMs } from '../shared/time.ts';

export interface Conversation {
  readonly id: string;
  readonly title: string;
  readonly summary: string | null;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  /** Creation time of its newest memory, or its own if it has none. */
  readonly lastActivityAt: EpochMs;
  /** Number of live memories in it. */
  readonly memoryCount: number;
  /** The agent session whose memories go into it by default. */
  readonly agentSessionId: string | null;
  /** Created for a memory that named neither conversation nor session. */
  readonly implicit: boolean;
  /** Session of its newest memory. */
  readonly lastSessionId: string | null;
  /** Whether its title comes from a memory; it then follows the oldest live one. */
  readonly autoTitled: boolean;
  /** Id in another system, unique per user. */
  readonly externalId: string | null;
  /** A client's own data, which is never interpreted. */
  readonly metadata: Metadata | null;
}

export const conversationSorts = ['lastActivityAt', 'createdAt', 'memoryCount'] as const;
type ConversationSort = (typeof conversationSorts)[number];

/** A longer pause starts a new session in a conversation, and a new implicit conversation. */
export const sessionGapMs = 90 * 60_000;
export const titleLengthMax = 500;
export const summaryLengthMax = 10_000;

export interface ConversationListQuery extends PageRequest {
  /** Only conversations created after this time. */
  readonly since?: EpochMs;
  /** By default, conversations created for memories are left out if none of their memories is live. */
  readonly minMemories?: number;
  /** Only the one with this external id. */
  readonly externalId?: string;
  readonly sortBy: ConversationSort;
  readonly order: 'asc' | 'desc';
}

/** Tie-break of conversations of equal rank. */
export interface ConversationActivity {
  readonly id: string;
  readonly lastActivityAt: EpochMs;
  /** Number in the order of writing. */
  readonly doc: number;
}

/** Reads one user's live conversations. */
export interface ConversationReader {
  find(id: string): Promise<Conversation | undefined>;
  findMany(ids: readonly string[]): Promise<Conversation[]>;
  /** Conversations with these ids, in no fixed order; ids that are not live are left out. */
  activityOf(ids: readonly string[]): Promise<ConversationActivity[]>;
  findByAgentSession(agentSessionId: string): Promise<Conversation | undefined>;
  /** The implicit conversation with the newest activity up to a time. */
  findNewestImplicit(until: EpochMs): Promise<Conversation | undefined>;
  list(query: ConversationListQuery): Promise<Page<Conversation>>;
  /**
   * Conversations with greater ids, in order of id; one
   * created for memories is left out if none of these is live.
   */
  listAfter(id: string, limit: number): Promise<Conversation[]>;
  /** Number of conversations, without those created for memories of which none is live. */
  count(): Promise<number>;
}

export interface AddedMemory {
  readonly at: EpochMs;
  /** Creation time of the memory: earlier than `at` if it is imported. */
  readonly createdAt: EpochMs;
  readonly goesOnSince: EpochMs;
  readonly newSessionId: string;
}

export interface PlacedMemory {
  readonly sessionId: string;
  /** Whether it is the only live memory of a conversation that is titled by its memories. */
  readonly titleFollows: boolean;
}

/** Time and session of the newest memory of a conversation. */
export interface Activity {
  readonly at: EpochMs;
  readonly sessionId: string | null;
}

export interface TitleOf {
  readonly title: string;
  readonly summary: string | null;
  readonly autoTitled: boolean;
  readonly memoryCount: number;
}

export interface ConversationWriter extends ConversationReader {
  /** Counts the memories that `body` adds by one statement for each conversation, at its end. */
  together<T>(body: () => Promise<T>): Promise<T>;
  /** @param importId the import that it is part of */
  insert(conversation: Conversation, document: IndexedDocument, importId?: string): Promise<void>;
  /**
   * Counts a memory written at `at` into a conversation, whose creation and last
   * activity follow the times of its memories. The memory joins the last session
   * if the activity before it was at `goesOnSince` or later, else `newSessionId`.
   * @returns undefined if the user has no such conversation
   */
  addMemory(id: string, memory: AddedMemory): Promise<PlacedMemory | undefined>;
  removeMemories(id: string, count: number): Promise<void>;
  /** The opposite of `removeMemories`. */
  returnMemories(id: string, count: number): Promise<void>;
  /** Sets the activity, which is that of the newest live memory. */
  setActivity(id: string, activity: Activity): Promise<void>;
  trash(id: string, at: EpochMs): Promise<void>;
  restore(id: string): Promise<void>;
  /** Title of a conversation, in the trash or not. */
  titleOf(id: string): Promise<TitleOf | undefined>;
  /** Changes the title of a conversation, in the trash or not, and of its entry in the trash. */
  retitle(id: string, title: string, document: IndexedDocument): Promise<void>;
}
