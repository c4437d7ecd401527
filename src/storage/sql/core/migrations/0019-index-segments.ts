import type { ColumnTypes } from './column-types.ts';

/** Rows and vectors of a user's index, for a process that has not loaded the user yet; jobs write them. */
export const indexSegments = ({ text, integer, bytes, user }: ColumnTypes): string[] => [
  `CREATE TABLE index_segments (
    user_id ${user},
    space ${integer} NOT NULL,
    number ${integer} NOT NULL,
    epoch ${integer} NOT NULL,
    last_rev ${integer} NOT NULL,
    last_doc ${integer} NOT NULL,
    last_part ${integer} NOT NULL,
    whole ${integer} NOT NULL,
    entries ${integer} NOT NULL,
    added ${integer} NOT NULL,
    data ${bytes} NOT NULL,
    PRIMARY KEY (user_id, space, number)
  )`,
  `ALTER TABLE user_counters ADD COLUMN segments_rev ${integer} NOT NULL DEFAULT 0`,
  `ALTER TABLE user_counters ADD COLUMN segments_of ${text} NOT NULL DEFAULT ''`,
];
