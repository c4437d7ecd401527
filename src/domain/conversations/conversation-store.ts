import type { Page, PageRequest } from '../shared/page.ts';
import type { IndexedDocument } from '../shared/text-indexer.ts';
import type { EpochMs } from '../shared/time.ts';
import type { Conversation, ConversationSort } from './conversation.ts';

export interface ConversationListQuery extends PageRequest {
  /** Created after this time. */
  readonly since?: EpochMs;
  /** Undefined leaves out those that were made for memories of which none is live. */
  readonly minMemories?: number;
  readonly sortBy: ConversationSort;
  readonly order: 'asc' | 'desc';
}

/** Tie-break of conversations of equal rank. */
export interface ConversationActivity {
  readonly id: string;
  readonly lastActivityAt: EpochMs;
  /** Rises in the order of writing. */
  readonly doc: number;
}

/** Reads of one user's live conversations. */
export interface ConversationReader {
  find(id: string): Promise<Conversation | undefined>;
  findMany(ids: readonly string[]): Promise<Conversation[]>;
  /** Conversations with these ids, in no fixed order; ids that are not live are left out. */
  activityOf(ids: readonly string[]): Promise<ConversationActivity[]>;
  findByAgentSession(agentSessionId: string): Promise<Conversation | undefined>;
  /** The implicit conversation with the newest activity up to a time. */
  findNewestImplicit(until: EpochMs): Promise<Conversation | undefined>;
  list(query: ConversationListQuery): Promise<Page<Conversation>>;
  /** In order of id, from the first after `id` on; those made for memories of which none is live are left out. */
  listAfter(id: string, limit: number): Promise<Conversation[]>;
  /** Those made for memories of which none is live are left out. */
  count(): Promise<number>;
}

export interface AddedMemory {
  readonly at: EpochMs;
  /** Of the memory: earlier than `at` for one that is imported. */
  readonly createdAt: EpochMs;
  readonly goesOnSince: EpochMs;
  readonly newSessionId: string;
}

export interface PlacedMemory {
  readonly sessionId: string;
  /** Whether it is the only live memory of a conversation that is titled by its memories. */
  readonly titleFollows: boolean;
}

/** When a memory was written, and in which session. */
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
  insert(conversation: Conversation, document: IndexedDocument): Promise<void>;
  /**
   * Notes a memory written at `at`: one more memory; the conversation began and was last active at the times of its memories. Its session is the last one where the activity
   * before it was at `goesOnSince` or later, else `newSessionId`.
   * @returns undefined where the user has no such conversation
   */
  addMemory(id: string, memory: AddedMemory): Promise<PlacedMemory | undefined>;
  removeMemories(id: string, count: number): Promise<void>;
  /** The opposite of `removeMemories`. */
  returnMemories(id: string, count: number): Promise<void>;
  /** States what its newest live memory says of it. */
  setActivity(id: string, activity: Activity): Promise<void>;
  trash(id: string, at: EpochMs): Promise<void>;
  restore(id: string): Promise<void>;
  /** Of a conversation in the trash or not. */
  titleOf(id: string): Promise<TitleOf | undefined>;
  /** Gives a conversation, in the trash or not, another title; its entry in the trash shows it too. */
  retitle(id: string, title: string, document: IndexedDocument): Promise<void>;
}
