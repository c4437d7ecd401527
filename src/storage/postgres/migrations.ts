import { migrationsFor } from '../sql/core/migrations/all.ts';
import { keywordStatements } from './keyword-index.ts';
import { partitioned } from './partitions.ts';

const types = {
  // Text ordered by code point, as SQLite does.
  text: 'TEXT COLLATE "C"',
  integer: 'BIGINT',
  real: 'DOUBLE PRECISION',
  bytes: 'BYTEA',
  rowId: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
  user: 'BIGINT NOT NULL',
  clustered: '',
};

/** @param partitions hash partitions by user of each table of theirs; 1 for none */
export const postgresMigrations = (partitions = 1) =>
  migrationsFor(types, keywordStatements, (statement) =>
    partitions === 1 ? [statement] : partitioned(statement, partitions),
  );
