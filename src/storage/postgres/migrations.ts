import { type Migration, statements } from '../sql/core/migrate.ts';
import { initialTables } from '../sql/core/migrations/0001-initial.ts';
import type { ColumnTypes } from '../sql/core/migrations/column-types.ts';
import { laterMigrations } from '../sql/core/migrations/later.ts';
import { keywordStatements } from './keyword-index.ts';

/** `COLLATE "C"` orders text by code point, as SQLite does. */
const types: ColumnTypes = {
  text: 'TEXT COLLATE "C"',
  integer: 'BIGINT',
  real: 'DOUBLE PRECISION',
  bytes: 'BYTEA',
  rowId: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
  user: 'BIGINT NOT NULL',
  clustered: '',
};

export const postgresMigrations: readonly Migration[] = [
  { id: 1, name: 'initial', run: statements([...initialTables(types), ...keywordStatements]) },
  ...laterMigrations(types),
];
