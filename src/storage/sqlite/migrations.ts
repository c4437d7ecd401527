import { migrationsFor } from '../sql/core/migrations/all.ts';
import { keywordTable, vocabularyTable } from './keyword-index.ts';

export const sqliteMigrations = migrationsFor(
  {
    text: 'TEXT',
    integer: 'INTEGER',
    real: 'REAL',
    bytes: 'BLOB',
    rowId: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    user: 'INTEGER NOT NULL',
    clustered: ' WITHOUT ROWID',
  },
  [keywordTable, vocabularyTable, "INSERT INTO store_counters (name, value) VALUES ('doc', 0)"],
);
