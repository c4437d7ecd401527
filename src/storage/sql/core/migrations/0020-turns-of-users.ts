import type { ColumnTypes } from './column-types.ts';

/** Work is taken by turns of users, and new work before older: the index leads from one user who has any to the next. */
export const turnsOfUsers = ({ integer }: ColumnTypes): string[] => [
  `ALTER TABLE jobs ADD COLUMN is_older ${integer} NOT NULL DEFAULT 0`,
  'DROP INDEX jobs_due',
  'CREATE INDEX jobs_by_user ON jobs (step, version, is_older, user_id, doc) WHERE due_at IS NOT NULL',
];
