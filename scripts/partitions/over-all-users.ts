interface ListedStatement {
  readonly statement: RegExp;
  readonly reason: string;
  /** Citus refuses it: where tables are distributed another one is sent. */
  readonly isRefused?: true;
}

/** Statements that read rows of all users, each with the reason why it may: at most ten. Patterns fit their text in one line. */
export const overAllUsers: readonly ListedStatement[] = [
  {
    statement: /^select "doc" from "memory_versions" limit \$1$/,
    reason:
      'At the start of a process: whether the store is empty, so that the first spaces need no pass over it.',
  },
  {
    statement: /^delete from "jobs" where "step" = \$1 and "version" < \$2$/,
    reason: 'At the start of a process: jobs of versions of a step that no program does any more.',
  },
  {
    statement: /^select count\(\*\) as "total" from "memory_versions"$/,
    reason: 'Once for a new version of a step: the size of its pass over all memories, for its progress.',
  },
  {
    statement: /^select "users"\.\S.* from "users" inner join "user_counters" .* order by "users"\."name"$/,
    reason: 'The list of users for an operator, without those who are being loaded or removed.',
  },
  {
    statement: /^select "users"\.\S.* from "users" inner join "user_counters" .* order by "users"\."id"$/,
    reason:
      'Users whose merge or move was interrupted, each minute in one process: an index has those rows alone.',
  },
  {
    statement: /^WITH RECURSIVE due \(user_id, found\) AS/,
    reason: 'Which users have work, by leaps in an index: the poll of each step, once a second without work.',
    isRefused: true,
  },
  {
    statement: /^SELECT DISTINCT jobs\.user_id FROM jobs JOIN users ON users\.id = jobs\.user_id WHERE/,
    reason: 'The same on nodes of Citus, which has recursion on one node only.',
  },
  {
    statement: /^UPDATE jobs SET due_at = \$1, taken = 1 FROM \( SELECT owner\.id/,
    reason: 'Takes the work of up to 64 users at once: one statement for each of them costs more.',
    isRefused: true,
  },
  {
    statement: /^select .* from "memory_versions" inner join "memories" .* IN \(SELECT \* FROM unnest\(/,
    reason: 'Reads the versions of the work that was taken for several users at once.',
    isRefused: true,
  },
];
