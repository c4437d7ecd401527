import { type Migration, statements } from '../sql/core/migrate.ts';
import { initialTables } from '../sql/core/migrations/0001-initial.ts';
import type { ColumnTypes } from '../sql/core/migrations/column-types.ts';
import { laterMigrations } from '../sql/core/migrations/later.ts';
import { keywordTable, vocabularyTable } from './keyword-index.ts';

const types: ColumnTypes = {
  text: 'TEXT',
  integer: 'INTEGER',
  real: 'REAL',
  bytes: 'BLOB',
  rowId: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  user: 'INTEGER NOT NULL',
  clustered: ' WITHOUT ROWID',
};

export const sqliteMigrations: readonly Migration[] = [
  {
    id: 1,
    name: 'initial',
    run: statements([
      ...initialTables(types),
      keywordTable,
      vocabularyTable,
      "INSERT INTO store_counters (name, value) VALUES ('doc', 0)",
    ]),
  },
  ...laterMigrations(types),
];
