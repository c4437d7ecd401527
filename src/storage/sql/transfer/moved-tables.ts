import type { Kysely } from 'kysely';
import type { DocumentKind } from '../../../retrieval/ports.ts';
import type { Database, UserTable } from '../schema.ts';
import { erasedTables } from '../user-store.ts';

/** What a file of a user does with each table: a new table does not compile until it has its line here. */
export const tableFates: Readonly<Record<UserTable, 'moved' | 'made anew' | 'in the head' | 'stays'>> = {
  memories: 'moved',
  memory_versions: 'moved',
  memory_edges: 'moved',
  conversations: 'moved',
  topics: 'moved',
  topic_words: 'moved',
  topic_merges: 'moved',
  topic_origins: 'moved',
  memory_topics: 'moved',
  facts: 'moved',
  fact_sources: 'moved',
  fact_versions: 'moved',
  artifacts: 'moved',
  narratives: 'moved',
  narrative_memories: 'moved',
  narrative_topics: 'moved',
  narrative_moves: 'moved',
  search_feedback: 'moved',
  trash_entries: 'moved',
  jobs: 'moved',
  // By the model and the analyser of the store that gets the user.
  memory_vectors: 'made anew',
  embedding_work: 'made anew',
  user_terms: 'made anew',
  user_counters: 'in the head',
  // Belong to one store: keys go along in a backup only, behind the other rows.
  api_keys: 'stays',
  idempotency_keys: 'stays',
};

/** Tables of a user's data, in the order in which rows can be written without breaking a reference. */
export const movedTables: readonly UserTable[] = erasedTables
  .filter((table) => tableFates[table] === 'moved')
  .reverse();

/** Tables whose rows have a document in the keyword index. */
export const documentKinds: Partial<Record<UserTable, DocumentKind>> = {
  memory_versions: 'memory',
  conversations: 'conversation',
  facts: 'fact',
};

export const documentTables = Object.keys(documentKinds) as readonly (keyof typeof documentKinds)[];

export type CellType = 'integer' | 'real' | 'text' | 'bytes';

export interface Column {
  readonly name: string;
  readonly type: CellType;
  readonly nullable: boolean;
  /** Place in the primary key from 1; 0 outside of it. */
  readonly keyPlace: number;
}

/** What the store says of a table, without `user_id`. */
export interface TableShape {
  readonly table: UserTable;
  readonly columns: readonly Column[];
  /** The primary key after `user_id`. */
  readonly key: readonly string[];
  /** Whether a column holds a document number: those are named `doc`, wherever they stand. */
  readonly hasDoc: boolean;
}

export type ReadColumns = (db: Kysely<Database>, table: string) => Promise<Column[]>;

export async function readShape(
  db: Kysely<Database>,
  table: UserTable,
  readColumns: ReadColumns,
): Promise<TableShape> {
  const columns = (await readColumns(db, table)).filter(({ name }) => name !== 'user_id');
  const key = columns.filter(({ keyPlace }) => keyPlace > 0).sort((a, b) => a.keyPlace - b.keyPlace);
  return {
    table,
    columns,
    key: key.map(({ name }) => name),
    hasDoc: columns.some(({ name }) => name === 'doc'),
  };
}

export async function readShapes(db: Kysely<Database>, readColumns: ReadColumns): Promise<TableShape[]> {
  const shapes: TableShape[] = [];
  for (const table of movedTables) shapes.push(await readShape(db, table, readColumns));
  return shapes;
}
