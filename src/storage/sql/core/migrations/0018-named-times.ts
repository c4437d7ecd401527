import type { ColumnTypes } from './column-types.ts';

/** Times named in the texts of versions, ordered by their ends: a search reads those within a range. */
export const namedTimes = ({ integer, user, clustered }: ColumnTypes) => [
  `CREATE TABLE named_times (
    user_id ${user},
    to_at ${integer} NOT NULL,
    from_at ${integer} NOT NULL,
    doc ${integer} NOT NULL,
    PRIMARY KEY (user_id, to_at, from_at, doc),
    FOREIGN KEY (user_id, doc) REFERENCES memory_versions (user_id, doc) ON DELETE CASCADE
  )${clustered}`,
  'CREATE INDEX named_times_by_doc ON named_times (user_id, doc)',
];
