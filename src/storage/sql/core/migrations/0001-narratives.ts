import type { ColumnTypes } from './column-types.ts';

/**
 * Threads of memories. Positions are not unique by an index: a row of neighbours is shifted in one statement, and both
 * engines would check it row by row.
 */
export const narrativeTables = ({ text, integer, user }: ColumnTypes): string[] => [
  `CREATE TABLE narratives (
    user_id ${user},
    id ${text} NOT NULL,
    title ${text} NOT NULL,
    state ${text} NOT NULL,
    first_root_id ${text} NOT NULL,
    resolution_id ${text},
    rev ${integer} NOT NULL,
    created_at ${integer} NOT NULL,
    updated_at ${integer} NOT NULL,
    trashed_at ${integer},
    PRIMARY KEY (user_id, id)
  )`,
  'CREATE INDEX narratives_by_change ON narratives (user_id, rev)',
  `CREATE TABLE narrative_memories (
    user_id ${user},
    narrative_id ${text} NOT NULL,
    memory_id ${text} NOT NULL,
    position ${integer} NOT NULL,
    PRIMARY KEY (user_id, narrative_id, memory_id),
    FOREIGN KEY (user_id, narrative_id) REFERENCES narratives (user_id, id) ON DELETE CASCADE,
    FOREIGN KEY (user_id, memory_id) REFERENCES memories (user_id, id) ON DELETE CASCADE
  )`,
  'CREATE INDEX narrative_memories_in_order ON narrative_memories (user_id, narrative_id, position, memory_id)',
  'CREATE INDEX narrative_memories_by_memory ON narrative_memories (user_id, memory_id)',
  `CREATE TABLE narrative_topics (
    user_id ${user},
    narrative_id ${text} NOT NULL,
    position ${integer} NOT NULL,
    name ${text} NOT NULL,
    normalized_name ${text} NOT NULL,
    PRIMARY KEY (user_id, narrative_id, position),
    FOREIGN KEY (user_id, narrative_id) REFERENCES narratives (user_id, id) ON DELETE CASCADE
  )`,
  `CREATE TABLE narrative_moves (
    user_id ${user},
    narrative_id ${text} NOT NULL,
    rev ${integer} NOT NULL,
    state ${text} NOT NULL,
    resolution_id ${text},
    at ${integer} NOT NULL,
    PRIMARY KEY (user_id, narrative_id, rev),
    FOREIGN KEY (user_id, narrative_id) REFERENCES narratives (user_id, id) ON DELETE CASCADE
  )`,
];
