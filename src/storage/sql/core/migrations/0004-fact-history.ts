import type { ColumnTypes } from './column-types.ts';

/**
 * What a fact said before each edit, from `opened_at` until `closed_at`; what it says now stands in `facts`. Of edits
 * made before this migration nothing is known.
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
