import type { UserTable } from './schema.ts';

/** What an export of a user does with a table; a header has it as a part of the file's first line. */
export type ExportPolicy = 'export' | 'rebuild' | 'header' | 'skip';

/**
 * All tables of user data, in the order in which rows can go without breaking a reference. Exports, `users remove` and
 * the vacuuming behind an erasing are derived from it: a new table does not compile until it has its line here.
 */
export const exportPolicies = {
  jobs: 'export',
  idempotency_keys: 'skip',
  search_feedback: 'export',
  fact_sources: 'export',
  fact_versions: 'export',
  facts: 'export',
  artifacts: 'export',
  trash_entries: 'export',
  narrative_moves: 'export',
  narrative_topics: 'export',
  narrative_memories: 'export',
  narratives: 'export',
  topic_origins: 'export',
  topic_merges: 'export',
  topic_words: 'export',
  memory_topics: 'export',
  topics: 'export',
  // `user_terms`, `embedding_work` and `memory_vectors`: by the model and the analyser of the store that gets the user.
  user_terms: 'rebuild',
  memory_edges: 'export',
  embedding_work: 'rebuild',
  memory_vectors: 'rebuild',
  memory_versions: 'export',
  memories: 'export',
  conversations: 'export',
  user_counters: 'header',
  // Keys belong to one store: they go along in a backup only, behind the other rows.
  api_keys: 'skip',
} as const satisfies Readonly<Record<UserTable, ExportPolicy>>;

export const erasedTables = Object.keys(exportPolicies) as readonly UserTable[];

/** Tables that an export has, in the order in which rows can be written without breaking a reference. */
export const movedTables: readonly UserTable[] = erasedTables
  .filter((table) => exportPolicies[table] === 'export')
  .reverse();
