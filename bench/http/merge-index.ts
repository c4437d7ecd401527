import Database from 'better-sqlite3';
import { Client } from 'pg';
import { type Engine, sqlitePath } from '../../test/support/database.ts';

/** Merges the keyword index of a store that no service has open. @returns a description of the merge */
export async function mergeIndex(engine: Engine, databaseUrl: string): Promise<string> {
  return engine === 'sqlite' ? mergeSqlite(sqlitePath(databaseUrl)) : mergePostgres(databaseUrl);
}

function mergeSqlite(path: string): string {
  const db = new Database(path);
  try {
    const tables = db
      .prepare(`SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%fts5%'`)
      .pluck()
      .all() as string[];
    for (const table of tables) db.exec(`INSERT INTO "${table}" ("${table}") VALUES ('optimize')`);
    db.pragma('wal_checkpoint(TRUNCATE)');
    return tables.length > 0 ? `optimize of ${tables.join(', ')}` : 'no FTS5 table';
  } finally {
    db.close();
  }
}

/** VACUUM also moves the pending list of GIN indexes into their trees. */
async function mergePostgres(databaseUrl: string): Promise<string> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('VACUUM ANALYZE');
    return 'VACUUM ANALYZE';
  } finally {
    await client.end();
  }
}
