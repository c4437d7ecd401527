import type { ColumnTypes } from './column-types.ts';

/** What people did with results. Numbers rise with time, so that the oldest are found by them. */
export const feedbackTables = ({ text, integer, user }: ColumnTypes): string[] => [
  `CREATE TABLE search_feedback (
    user_id ${user},
    number ${integer} NOT NULL,
    memory_id ${text} NOT NULL,
    action ${text} NOT NULL,
    query ${text},
    search_method ${text},
    search_session_id ${text},
    position ${integer},
    created_at ${integer} NOT NULL,
    PRIMARY KEY (user_id, number),
    FOREIGN KEY (user_id, memory_id) REFERENCES memories (user_id, id) ON DELETE CASCADE
  )`,
  'CREATE INDEX search_feedback_by_memory ON search_feedback (user_id, memory_id)',
];
