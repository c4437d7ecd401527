import type { Page, PageRequest } from '../shared/page.ts';
import type { EpochMs } from '../shared/time.ts';
import type { Conversation, ConversationSort } from './conversation.ts';

export interface ConversationListQuery extends PageRequest {
  /** Created after this time. */
  readonly since?: EpochMs;
  readonly minMemories?: number;
  readonly sortBy: ConversationSort;
  readonly order: 'asc' | 'desc';
}

/** Reads of one user's live conversations. */
export interface ConversationReader {
  find(id: string): Promise<Conversation | undefined>;
  findMany(ids: readonly string[]): Promise<Conversation[]>;
  findByAgentSession(agentSessionId: string): Promise<Conversation | undefined>;
  /** The implicit conversation with the newest activity. */
  findNewestImplicit(): Promise<Conversation | undefined>;
  list(query: ConversationListQuery): Promise<Page<Conversation>>;
  count(): Promise<number>;
}

export interface AddedMemory {
  readonly at: EpochMs;
  readonly goesOnSince: EpochMs;
  readonly newSessionId: string;
}

export interface ConversationWriter extends ConversationReader {
  insert(conversation: Conversation): Promise<void>;
  /**
   * Notes a memory written at `at`: one more memory, newer activity. Its session is the last one where the activity
   * before it was at `goesOnSince` or later, else `newSessionId`.
   * @returns the session; undefined where the user has no such conversation
   */
  addMemory(id: string, memory: AddedMemory): Promise<string | undefined>;
  removeMemories(id: string, count: number): Promise<void>;
  /** The opposite of `removeMemories`; activity stays as it is. */
  returnMemories(id: string, count: number): Promise<void>;
  trash(id: string, at: EpochMs): Promise<void>;
  restore(id: string): Promise<void>;
  /** Of a conversation in the trash or not. */
  titleOf(id: string): Promise<string | undefined>;
  retitle(id: string, title: string): Promise<void>;
}
