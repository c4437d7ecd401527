import { migrationsFor } from '../sql/core/migrations/all.ts';
import { keywordStatements } from './keyword-index.ts';

export const postgresMigrations = migrationsFor(
  {
    // Text ordered by code point, as SQLite does.
    text: 'TEXT COLLATE "C"',
    integer: 'BIGINT',
    real: 'DOUBLE PRECISION',
    bytes: 'BYTEA',
    rowId: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
    user: 'BIGINT NOT NULL',
    clustered: '',
  },
  keywordStatements,
);
