import type { ColumnTypes } from './column-types.ts';

export const trashTables = ({ text, integer, user }: ColumnTypes) => [
  `CREATE TABLE trash_entries (
    user_id ${user},
    id ${text} NOT NULL,
    kind ${text} NOT NULL,
    record_id ${text} NOT NULL,
    title ${text} NOT NULL,
    counts ${text} NOT NULL,
    payload ${text} NOT NULL,
    rev ${integer} NOT NULL,
    deleted_at ${integer} NOT NULL,
    erased_at ${integer},
    PRIMARY KEY (user_id, id),
    UNIQUE (user_id, kind, record_id)
  )`,
  'CREATE INDEX trash_entries_by_time ON trash_entries (user_id, deleted_at, rev)',
];
