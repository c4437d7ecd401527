import type { Kysely } from 'kysely';
import type { Database, UserTable } from '../core/schema.ts';
import { exportedTables } from '../core/user-data-tables.ts';

export type CellType = 'integer' | 'real' | 'text' | 'bytes';

export interface Column {
  readonly name: string;
  readonly type: CellType;
  readonly nullable: boolean;
  /** Position in the primary key, from 1; 0 outside of the key. */
  readonly keyPlace: number;
}

/** Columns and key of a table as the store reports them, without `user_id`. */
export interface TableShape {
  readonly table: UserTable;
  readonly columns: readonly Column[];
  /** The columns of the primary key after `user_id`. */
  readonly key: readonly string[];
  /** Whether a column is a document number; all of them are named `doc`. */
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
  for (const table of exportedTables) shapes.push(await readShape(db, table, readColumns));
  return shapes;
}
