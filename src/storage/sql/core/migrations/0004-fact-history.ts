import type { ColumnTypes } from './column-types.ts';

/**
 * The state of a fact before each edit, from `opened_at` until `closed_at`; the
 * current state is in `facts`. Edits from before this migration are unknown.
 */
export const factHistory = ({ text, integer, real, user }: ColumnTypes) => [
  `CREATE TABLE fact_versions (
    user_id ${user},
    fact_id ${text} NOT NULL,
    number ${integer} NOT NULL,
    opened_at ${integer} NOT NULL,
    closed_at ${integer} NOT NULL,
    subject ${text} NOT NULL,
    predicate ${text} NOT NULL,
    object ${text} NOT NULL,
    confidence ${real} NOT NULL,
    PRIMARY KEY (user_id, fact_id, number),
    FOREIGN KEY (user_id, fact_id) REFERENCES facts (user_id, id) ON DELETE CASCADE
  )`,
];
