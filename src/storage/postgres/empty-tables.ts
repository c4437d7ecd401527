import { type Kysely, sql } from 'kysely';
import type { Database } from '../sql/core/schema.ts';

const lockTimeout = '1s';

interface Column {
  readonly table: string;
  readonly column: string;
  /** Type of the column in its table, with the collation. */
  readonly type: string;
}

/** Text columns, except ids, that have statistics and whose table may be empty according to PostgreSQL. */
async function readStatistics(db: Kysely<Database>, tables: readonly string[]): Promise<Column[]> {
  const { rows } = await sql<Column>`
    SELECT c.relname AS table, a.attname AS column, format_type(a.atttypid, a.atttypmod)
      || CASE WHEN a.attcollation <> 0 THEN format(' COLLATE %I.%I', n.nspname, l.collname) ELSE '' END AS type
    FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid
    JOIN pg_stats s ON s.schemaname = c.relnamespace::regnamespace::text AND s.tablename = c.relname AND s.attname = a.attname
    LEFT JOIN pg_collation l ON l.oid = a.attcollation
    LEFT JOIN pg_namespace n ON n.oid = l.collnamespace
    WHERE c.oid = ANY (${sql.val(tables)}::regclass[]) AND c.reltuples <= 0
      AND a.atttypid IN ('text'::regtype, 'tsvector'::regtype) AND a.attname !~ '(^|_)id$'`.execute(db);
  return rows;
}

/**
 * ANALYZE keeps the statistics of a table without rows. Until PostgreSQL 18
 * only superusers can delete them, except by setting a column's type to its
 * current type: this rewrites nothing, and drops the statistics of its values.
 * @throws if a table is in use for longer than a second
 */
export async function forgetEmptyTables(db: Kysely<Database>, tables: readonly string[]): Promise<void> {
  const columns = await readStatistics(db, tables);
  for (const table of new Set(columns.map((column) => column.table))) {
    const ofTable = columns.filter((column) => column.table === table);
    await sql`BEGIN`.execute(db);
    try {
      await sql`SET LOCAL lock_timeout = ${sql.lit(lockTimeout)}`.execute(db);
      await sql`LOCK TABLE ${sql.table(table)} IN ACCESS EXCLUSIVE MODE`.execute(db);
      const { rows } = await sql`SELECT 1 FROM ${sql.table(table)} LIMIT 1`.execute(db);
      if (rows.length === 0) {
        for (const { column, type } of ofTable) {
          await sql`ALTER TABLE ${sql.table(table)} ALTER COLUMN ${sql.id(column)} TYPE ${sql.raw(type)}`.execute(
            db,
          );
        }
      }
      await sql`COMMIT`.execute(db);
    } catch (error) {
      await sql`ROLLBACK`.execute(db);
      throw error;
    }
  }
}
