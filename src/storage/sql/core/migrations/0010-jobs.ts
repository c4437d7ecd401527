import type { ColumnTypes } from './column-types.ts';

/**
 * Jobs of all steps in one table, including the step that embeds; and the
 * progress of each back-fill. The former table `jobs` was never written to.
 */
export const jobs = ({ text, integer, user }: ColumnTypes): string[] => [
  'DROP TABLE jobs',
  `CREATE TABLE jobs (
    user_id ${user},
    doc ${integer} NOT NULL,
    step ${text} NOT NULL,
    version ${integer} NOT NULL,
    attempts ${integer} NOT NULL,
    due_at ${integer},
    taken ${integer} NOT NULL,
    error ${text},
    error_code ${text},
    failed_at ${integer},
    PRIMARY KEY (user_id, doc, step, version),
    FOREIGN KEY (user_id, doc) REFERENCES memory_versions (user_id, doc) ON DELETE CASCADE
  )`,
  // Jobs of all users are taken in the order of arrival.
  'CREATE INDEX jobs_due ON jobs (step, version, due_at) WHERE due_at IS NOT NULL',
  'CREATE INDEX jobs_parked ON jobs (step, version) WHERE due_at IS NULL',
  `INSERT INTO jobs (user_id, doc, step, version, attempts, due_at, taken, error)
    SELECT user_id, doc, 'embed', space, attempts, due_at, taken, error FROM embedding_work`,
  'DROP TABLE embedding_work',
  `CREATE TABLE backfills (
    step ${text} NOT NULL,
    version ${integer} NOT NULL,
    cursor ${text} NOT NULL,
    PRIMARY KEY (step, version)
  )`,
  `INSERT INTO backfills (step, version, cursor)
    SELECT CASE WHEN state = 'dropping' THEN 'drop_vectors' ELSE 'embed' END, id, walk FROM vector_spaces
    WHERE walk IS NOT NULL`,
  'ALTER TABLE vector_spaces DROP COLUMN walk',
];
