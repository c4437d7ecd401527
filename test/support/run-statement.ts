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
