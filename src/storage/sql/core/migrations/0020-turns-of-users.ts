import type { ColumnTypes } from './column-types.ts';

/** Users take turns, and new work comes before older: the index leads from one user with jobs to the next. */
export const turnsOfUsers = ({ integer }: ColumnTypes): string[] => [
  `ALTER TABLE jobs ADD COLUMN is_older ${integer} NOT NULL DEFAULT 0`,
  'DROP INDEX jobs_due',
  'CREATE INDEX jobs_by_user ON jobs (step, version, is_older, user_id, doc) WHERE due_at IS NOT NULL',
];
