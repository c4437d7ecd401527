import type { EpochMs } from '../shared/time.ts';

export interface Conversation {
  readonly id: string;
  readonly title: string;
  readonly summary: string | null;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  /** Creation time of its newest memory, else its own. */
  readonly lastActivityAt: EpochMs;
  /** Live memories in it. */
  readonly memoryCount: number;
  /** The agent session that writes into it without naming it. */
  readonly agentSessionId: string | null;
  /** Made because a memory named neither conversation nor session. */
  readonly implicit: boolean;
  /** Session of its newest memory. */
  readonly lastSessionId: string | null;
  /** Whether its title was made from a memory: it follows the oldest live one then. */
  readonly autoTitled: boolean;
}

export const conversationSorts = ['lastActivityAt', 'createdAt', 'memoryCount'] as const;
export type ConversationSort = (typeof conversationSorts)[number];

/** A pause of more than this begins a new session in a conversation, and a new implicit conversation. */
export const sessionGapMs = 90 * 60_000;
export const titleLengthMax = 500;
export const summaryLengthMax = 10_000;
