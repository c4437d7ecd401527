/** Derived facts of a subject, newest first: finds memories about the same subject, to compare them. */
export const factsBySubject = () => [
  'CREATE INDEX facts_by_subject ON facts (user_id, lower(subject), doc) WHERE fact_key IS NOT NULL',
];
