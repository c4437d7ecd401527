import SqliteConnection from 'better-sqlite3';
import pg from 'pg';
import { type Engine, sqlitePath } from './database.ts';

/** Runs one SQL statement behind the back of whoever has the store open. */
export async function runStatement(
  database: { readonly engine: Engine; readonly url: string },
  statement: string,
): Promise<void> {
  if (database.engine === 'sqlite') {
    const sqlite = new SqliteConnection(sqlitePath(database.url));
    sqlite.exec(statement);
    sqlite.close();
    return;
  }
  const postgres = new pg.Client({ connectionString: database.url });
  await postgres.connect();
  await postgres.query(statement);
  await postgres.end();
}

/** The rows of one query, read behind the back of whoever has the store open. */
export async function readRows(
  database: { readonly engine: Engine; readonly url: string },
  query: string,
): Promise<Record<string, unknown>[]> {
  if (database.engine === 'sqlite') {
    const sqlite = new SqliteConnection(sqlitePath(database.url), { readonly: true });
    const rows = sqlite.prepare(query).all() as Record<string, unknown>[];
    sqlite.close();
    return rows;
  }
  const postgres = new pg.Client({ connectionString: database.url });
  await postgres.connect();
  const { rows } = await postgres.query<Record<string, unknown>>(query);
  await postgres.end();
  return rows;
}
