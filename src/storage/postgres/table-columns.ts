import { type Kysely, sql } from 'kysely';
import type { Database } from '../sql/core/schema.ts';
import type { CellType, Column } from '../sql/transfer/table-shapes.ts';

const types: Readonly<Record<string, CellType>> = {
  int8: 'integer',
  int4: 'integer',
  float8: 'real',
  text: 'text',
  bytea: 'bytes',
};

/** Columns of a table as the database states them. */
export async function readColumns(db: Kysely<Database>, table: string): Promise<Column[]> {
  const { rows } = await sql<{ name: string; type: string; nullable: boolean; keyPlace: number }>`
    SELECT a.attname AS name, t.typname AS type, NOT a.attnotnull AS nullable,
      coalesce(array_position(string_to_array(i.indkey::text, ' '), a.attnum::text), 0) AS "keyPlace"
    FROM pg_attribute AS a
    JOIN pg_type AS t ON t.oid = a.atttypid
    LEFT JOIN pg_index AS i ON i.indrelid = a.attrelid AND i.indisprimary
    WHERE a.attrelid = to_regclass(${table}) AND a.attnum > 0 AND NOT a.attisdropped
    ORDER BY a.attnum`.execute(db);
  return rows.map(({ type, ...column }) => ({ ...column, type: types[type] }));
}
