import type { ColumnTypes } from './column-types.ts';

/**
 * `auto_titled` is 1 if the title was made from a memory and follows it. In older stores, a conversation
 * was made for a memory if its first memory has the same time: a client makes its conversations earlier.
 */
export const automaticTitles = ({ integer }: ColumnTypes) => [
  `ALTER TABLE conversations ADD COLUMN auto_titled ${integer} NOT NULL DEFAULT 0`,
  `UPDATE conversations SET auto_titled = 1 WHERE EXISTS (
    SELECT 1 FROM memories WHERE memories.user_id = conversations.user_id
      AND memories.conversation_id = conversations.id AND memories.seq = conversations.since_rev + 1
      AND memories.created_at = conversations.created_at)`,
];
