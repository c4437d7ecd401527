interface ListedStatement {
  readonly statement: RegExp;
  readonly reason: string;
  /** Citus refuses it: where tables are distributed another one is sent. */
  readonly isRefused?: true;
}

/** Statements of serving processes that read rows of all users, each with the reason why it may: at most ten. Patterns fit their text in one line. */
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
    statement: /^select "users"\.("id", .*|\*) from "users" (inner|left) join "user_counters" /,
    reason:
      'Users by name or number without those who are being loaded: for commands of operators, and each minute in one process for interrupted merges and moves, by an index of those alone.',
  },
  {
    statement: /^WITH RECURSIVE due \(user_id, found\) AS/,
    reason:
      'Which users have work, trash that is due, old responses, vectors without checksums or an index that is behind, by leaps in an index of such rows; each step asks once a second without work.',
    isRefused: true,
  },
  {
    statement: /^SELECT DISTINCT due\.user_id FROM \(SELECT user_id FROM /,
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
  {
    statement: /^select "user_id" from "query_traces" group by "user_id" having/,
    reason: 'Once an hour in one process: users with traces that are old or too many.',
  },
  {
    statement:
      /^select "webhooks"\."id" .* from "webhooks" inner join "users" .* where "webhooks"\."leased_until" <= /,
    reason: 'Webhooks that are due, the longest waiting first: each second.',
  },
];

/** What a person asks of the whole store: `npx memoryd check`, metrics, health and the jobs of the service view. */
export const ofOperators: readonly ListedStatement[] = [
  {
    statement: /^select "user_id", count\(\*\) as "count" from "\w+" where "user_id" not in /,
    reason: 'A check: rows of users who are gone.',
  },
  {
    statement: /^select count\(\*\) as "count" from "\w+"$/,
    reason: 'A check: how many rows it looked at.',
  },
  {
    statement: /^SELECT user_id, doc, tsvector_to_array\(keys\) AS keys FROM keyword_documents WHERE/,
    reason: 'A check: the keyword index in the order of its key, in pages.',
  },
  {
    statement: /^select "users"\."name" from "users" left join "user_counters" /,
    reason: 'A check: users without counters.',
  },
  {
    statement: /^select count\(\*\) as "users", sum\("user_counters"\."documents"\)/,
    reason: 'Metrics: users and memories.',
  },
  {
    statement: /^select "webhook_deliveries"\."state", count\(\*\)/,
    reason: 'Metrics: messages that wait or were given up, by an index of those alone.',
  },
  {
    statement: /^SELECT step, count\(due_at\) AS waiting,/,
    reason: 'Metrics: jobs by step.',
  },
  {
    statement: /^SELECT \(SELECT count\(\*\) FROM jobs WHERE step = /,
    reason: 'Health and the service view: jobs of a step, with an error.',
  },
  {
    statement: /^select "error_code" from "jobs" where "step" = /,
    reason: 'The service view: why a step failed last.',
  },
];
