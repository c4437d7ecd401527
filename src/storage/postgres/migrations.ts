import { migrationsFor } from '../sql/core/migrations/all.ts';
import { keywordStatements } from './keyword-index.ts';
import { leaseStatements } from './serve-lock.ts';

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

/** A table of rows of users; keys of the API are looked up by their prefix over all users. */
const ofUsers = /^CREATE TABLE (?!api_keys\b)(\w+) \(\s*user_id /;

/** Of the keyword index of a store that is not split. An erasing rebuilds the part of its user alone: with 64, WAL grew 1.56 times with ten times the memories of others, with 128 1.35 times. */
const keywordParts = 128;

/** @param partitions 2 to 256, or 0 */
function partitioned(statement: string, partitions: number): string[] {
  const [, table] = ofUsers.exec(statement) ?? [];
  const count = table === 'keyword_documents' && partitions === 0 ? keywordParts : partitions;
  if (table === undefined || count === 0) return [statement];
  const parts = Array.from(
    { length: count },
    (_, i) =>
      `CREATE TABLE ${table}_p${i} PARTITION OF ${table} FOR VALUES WITH (MODULUS ${count}, REMAINDER ${i})`,
  );
  return [`${statement} PARTITION BY HASH (user_id)`, ...parts];
}

/** @param partitions hash partitions by user of each table of theirs; 0 for none but those of the keyword index */
export const postgresMigrations = (partitions = 0) =>
  migrationsFor(types, [...keywordStatements, ...leaseStatements], (statement) =>
    partitioned(statement, partitions),
  );
