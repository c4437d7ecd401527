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

/** Columns with a fixed set of values, whose frequencies decide on plans. */
const ofFixedValues =
  /^(?:action|basis|creation_method|effective_state|found_by|found_type|kind|memory_type|reason_kind|role|search_method|state|step)$/;
const created = /^CREATE TABLE (\w+) \(/;
const textColumns = new RegExp(`^\\s+(\\w+) ${types.text}`, 'gm');

/**
 * No statistics of texts: PostgreSQL would show words of users in `pg_stats`, also after they were erased, and those of a
 * partition that became empty it keeps for good. Texts are looked up within one user by an index, for which it needs none.
 */
function withoutStatistics(statement: string): string[] {
  const [, table] = created.exec(statement) ?? [];
  const texts = [...statement.matchAll(textColumns)]
    .map(([, column]) => column)
    .filter((column) => !/(?:^|_)id$/.test(column) && !ofFixedValues.test(column));
  if (table === undefined || texts.length === 0) return [];
  return [`ALTER TABLE ${table} ${texts.map((text) => `ALTER COLUMN ${text} SET STATISTICS 0`).join(', ')}`];
}

/** @param partitions hash partitions by user of each table of theirs; 0 for none but those of the keyword index */
export const postgresMigrations = (partitions = 0) =>
  migrationsFor(types, [...keywordStatements, ...leaseStatements], (statement) => [
    ...partitioned(statement, partitions),
    ...withoutStatistics(statement),
  ]);
