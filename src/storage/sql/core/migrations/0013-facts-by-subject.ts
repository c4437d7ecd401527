/** Derived facts of a subject, the newest first: memories that say something of the same are compared with each other. */
export const factsBySubject = () => [
  'CREATE INDEX facts_by_subject ON facts (user_id, lower(subject), doc) WHERE fact_key IS NOT NULL',
];
