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
}

export const conversationSorts = ['lastActivityAt', 'createdAt', 'memoryCount'] as const;
export type ConversationSort = (typeof conversationSorts)[number];

/** A longer pause starts a new session in a conversation, and a new implicit conversation. */
export const sessionGapMs = 90 * 60_000;
export const titleLengthMax = 500;
export const summaryLengthMax = 10_000;
