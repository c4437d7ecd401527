import type { DocumentKind } from '../../../search-index/ports.ts';
import type { Database, UserTable } from './schema.ts';

interface UserTableTraits {
  /** Treatment of the table by an export of a user; a `header` is part of the file's first line. */
  readonly onExport: 'export' | 'rebuild' | 'header' | 'skip';
  /** Kind of the document in the keyword index that each of its rows has, by its column `doc`. */
  readonly document?: DocumentKind;
}

/**
 * All tables of user data, in the order in which rows can be deleted without breaking a reference. Removing
 * a user, exports and loads, the search for stray rows, the check of the keyword index and the vacuuming
 * after an erase are derived from this list: a new table does not compile until it has its line here.
 */
export const userTables = {
  // First, so that no step takes a job of a user who is being removed.
  jobs: { onExport: 'rebuild' },
  idempotency_keys: { onExport: 'skip' },
  // Traces contain ids and versions of one store.
  query_traces: { onExport: 'skip' },
  // Places in the list of changes of one store, and secrets.
  webhook_deliveries: { onExport: 'skip' },
  webhooks: { onExport: 'skip' },
  // Numbered by the commits of one store.
  changes: { onExport: 'skip' },
  behaviour_states: { onExport: 'export' },
  pattern_evidence: { onExport: 'export' },
  patterns: { onExport: 'export' },
  community_topics: { onExport: 'export' },
  communities: { onExport: 'export' },
  // The store that imports the user derives the rows of versions again.
  edge_candidates: { onExport: 'rebuild' },
  vetoes: { onExport: 'rebuild' },
  named_times: { onExport: 'rebuild' },
  derived_topics: { onExport: 'rebuild' },
  fact_entities: { onExport: 'rebuild' },
  fact_mentions: { onExport: 'rebuild' },
  entity_mentions: { onExport: 'rebuild' },
  derivations: { onExport: 'rebuild' },
  entities: { onExport: 'export' },
  search_feedback: { onExport: 'export' },
  fact_sources: { onExport: 'export' },
  fact_versions: { onExport: 'export' },
  facts: { onExport: 'export', document: 'fact' },
  artifacts: { onExport: 'export' },
  trash_entries: { onExport: 'export' },
  narrative_moves: { onExport: 'export' },
  narrative_topics: { onExport: 'export' },
  narrative_memories: { onExport: 'export' },
  narratives: { onExport: 'export' },
  topic_origins: { onExport: 'export' },
  topic_merges: { onExport: 'export' },
  topic_words: { onExport: 'export' },
  memory_topics: { onExport: 'export' },
  topics: { onExport: 'export' },
  // `user_terms`, `jobs` and `memory_vectors` depend on the analyser and the model of the
  // importing store. Segments depend on the documents, vectors and changes of one store.
  index_segments: { onExport: 'rebuild' },
  user_terms: { onExport: 'rebuild' },
  memory_edges: { onExport: 'export' },
  memory_vectors: { onExport: 'rebuild' },
  memory_versions: { onExport: 'export', document: 'memory' },
  memories: { onExport: 'export' },
  conversations: { onExport: 'export', document: 'conversation' },
  imports: { onExport: 'export' },
  user_counters: { onExport: 'header' },
  // Keys belong to one store: only a backup has them, after the other rows.
  api_keys: { onExport: 'skip' },
} as const satisfies Readonly<Record<UserTable, UserTableTraits>>;

/** In the order in which rows can be deleted. */
export const erasedTables = Object.keys(userTables) as readonly UserTable[];

const traitsOf = (table: UserTable): UserTableTraits => userTables[table];

/** Tables that an export has, in the order in which rows can be written without breaking a reference. */
export const exportedTables: readonly UserTable[] = erasedTables
  .filter((table) => traitsOf(table).onExport === 'export')
  .reverse();

type DocumentTable = {
  [T in UserTable]: (typeof userTables)[T] extends { document: DocumentKind } ? T : never;
}[UserTable];

/** Tables whose rows each have a document in the keyword index. */
export const documentTables = erasedTables.filter(
  (table): table is DocumentTable & keyof Database => traitsOf(table).document !== undefined,
);

export function documentKindOf(table: UserTable): DocumentKind | undefined {
  return traitsOf(table).document;
}
