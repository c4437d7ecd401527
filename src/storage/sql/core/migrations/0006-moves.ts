import type { ColumnTypes } from './column-types.ts';

/**
 * A large conversation moves to the trash, and back, in many transactions. While `moving` is set its memories
 * are hidden: `moved_to` is the number of the last one moved, `hidden_rows` how many of them are not marked.
 */
export const conversationMoves = ({ integer }: ColumnTypes) => [
  `ALTER TABLE trash_entries ADD COLUMN moving ${integer}`,
  `ALTER TABLE trash_entries ADD COLUMN moved_to ${integer} NOT NULL DEFAULT 0`,
  `ALTER TABLE trash_entries ADD COLUMN hidden_rows ${integer} NOT NULL DEFAULT 0`,
  // References to a topic are looked up when it is removed.
  'CREATE INDEX topic_words_by_topic ON topic_words (user_id, topic_id)',
  'CREATE INDEX topic_merges_by_source ON topic_merges (user_id, source_id)',
  'CREATE INDEX topic_merges_by_target ON topic_merges (user_id, target_id)',
  'CREATE INDEX narrative_topics_by_name ON narrative_topics (user_id, normalized_name)',
  'CREATE INDEX trash_entries_moving ON trash_entries (user_id, record_id) WHERE moving IS NOT NULL',
];
