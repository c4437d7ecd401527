import { type Kysely, sql } from 'kysely';
import type { Database } from '../sql/core/schema.ts';
import type { CellType, Column } from '../sql/transfer/table-shapes.ts';

const types: Readonly<Record<string, CellType>> = {
  INTEGER: 'integer',
  REAL: 'real',
  TEXT: 'text',
  BLOB: 'bytes',
};

/** Columns of a table as the file states them. */
export async function readColumns(db: Kysely<Database>, table: string): Promise<Column[]> {
  const { rows } = await sql<{ name: string; type: string; required: number; keyPlace: number }>`
    SELECT name, type, "notnull" AS required, pk AS "keyPlace" FROM pragma_table_info(${table}) ORDER BY cid`.execute(
    db,
  );
  return rows.map(({ name, type, required, keyPlace }) => ({
    name,
    type: types[type],
    nullable: required === 0 && keyPlace === 0,
    keyPlace,
  }));
}
