import type { ColumnTypes } from './column-types.ts';

/**
 * `canonical_id` is the topic that a row means: itself, or for an alias the topic it was merged into.
 * `memory_topics` holds what a memory shows; `topic_origins` what it carried before a merge, for memories that one moved.
 */
export const topicTables = ({ text, integer, user }: ColumnTypes) => [
  `CREATE TABLE topics (
    user_id ${user},
    id ${text} NOT NULL,
    name ${text} NOT NULL,
    normalized_name ${text} NOT NULL,
    canonical_id ${text} NOT NULL,
    created_at ${integer} NOT NULL,
    updated_at ${integer} NOT NULL,
    PRIMARY KEY (user_id, id),
    UNIQUE (user_id, normalized_name)
  )`,
  'CREATE INDEX topics_by_canonical ON topics (user_id, canonical_id)',
  `CREATE TABLE memory_topics (
    user_id ${user},
    topic_id ${text} NOT NULL,
    memory_id ${text} NOT NULL,
    PRIMARY KEY (user_id, topic_id, memory_id),
    FOREIGN KEY (user_id, topic_id) REFERENCES topics (user_id, id) ON DELETE CASCADE,
    FOREIGN KEY (user_id, memory_id) REFERENCES memories (user_id, id) ON DELETE CASCADE
  )`,
  'CREATE INDEX memory_topics_by_memory ON memory_topics (user_id, memory_id)',
  `CREATE TABLE topic_words (
    user_id ${user},
    word ${text} NOT NULL,
    topic_id ${text} NOT NULL,
    PRIMARY KEY (user_id, word, topic_id),
    FOREIGN KEY (user_id, topic_id) REFERENCES topics (user_id, id) ON DELETE CASCADE
  )`,
  `CREATE TABLE topic_merges (
    user_id ${user},
    id ${text} NOT NULL,
    source_id ${text} NOT NULL,
    target_id ${text} NOT NULL,
    state ${text} NOT NULL,
    memories_moved ${integer} NOT NULL,
    created_at ${integer} NOT NULL,
    undone_at ${integer},
    PRIMARY KEY (user_id, id),
    FOREIGN KEY (user_id, source_id) REFERENCES topics (user_id, id) ON DELETE CASCADE,
    FOREIGN KEY (user_id, target_id) REFERENCES topics (user_id, id) ON DELETE CASCADE
  )`,
  `CREATE UNIQUE INDEX topic_merges_standing ON topic_merges (user_id, source_id)
    WHERE state IN ('running', 'done')`,
  `CREATE INDEX topic_merges_unfinished ON topic_merges (user_id, created_at)
    WHERE state IN ('running', 'undoing')`,
  `CREATE TABLE topic_origins (
    user_id ${user},
    topic_id ${text} NOT NULL,
    memory_id ${text} NOT NULL,
    shown_as ${text} NOT NULL,
    name ${text} NOT NULL,
    position ${integer} NOT NULL,
    PRIMARY KEY (user_id, topic_id, memory_id),
    FOREIGN KEY (user_id, topic_id) REFERENCES topics (user_id, id) ON DELETE CASCADE,
    FOREIGN KEY (user_id, memory_id) REFERENCES memories (user_id, id) ON DELETE CASCADE
  )`,
  'CREATE INDEX topic_origins_by_memory ON topic_origins (user_id, memory_id)',
];
