import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { newTempFolder } from '../support/temp-folder.ts';
import { demand } from './proof.ts';

/** Checks a copy of the file and its write-ahead log, so that what a crash left stays as it is for the restart. */
export function checkSqliteCopy(path: string): void {
  const folder = newTempFolder('copy');
  try {
    const copy = join(folder.path, 'copy.db');
    copyFileSync(path, copy);
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
    checkSqliteFile(copy);
  } finally {
    folder.remove();
  }
}

/** `integrity_check`, `foreign_key_check`, and the keyword index's own check. */
export function checkSqliteFile(path: string): void {
  const database = new Database(path);
  try {
    const integrity = database.pragma('integrity_check', { simple: true });
    demand(integrity === 'ok', 'integrity_check is not ok', String(integrity));
    const orphans = database.pragma('foreign_key_check') as unknown[];
    demand(orphans.length === 0, 'foreign_key_check found orphans', orphans);
    const tables = database
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%USING fts5%'")
      .pluck()
      .all() as string[];
    for (const table of tables)
      database.prepare(`INSERT INTO "${table}"("${table}", rank) VALUES ('integrity-check', 0)`).run();
  } finally {
    database.close();
  }
}
