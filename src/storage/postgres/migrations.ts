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

/** @param count 2 to 256 */
function partitioned(statement: string, count: number): string[] {
  const [, table] = ofUsers.exec(statement) ?? [];
  if (table === undefined) return [statement];
  const parts = Array.from(
    { length: count },
    (_, i) =>
      `CREATE TABLE ${table}_p${i} PARTITION OF ${table} FOR VALUES WITH (MODULUS ${count}, REMAINDER ${i})`,
  );
  return [`${statement} PARTITION BY HASH (user_id)`, ...parts];
}

/** @param partitions hash partitions by user of each table of theirs; 0 for none */
export const postgresMigrations = (partitions = 0) =>
  migrationsFor(types, [...keywordStatements, ...leaseStatements], (statement) =>
    partitions === 0 ? [statement] : partitioned(statement, partitions),
  );
