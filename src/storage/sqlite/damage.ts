import type SqliteConnection from 'better-sqlite3';

const linesMax = 20;
/** How SQLite names the keyword index in what it says of damage. */
const ofIndex = /keyword_index|fts5/i;

export interface Damage {
  /** Of tables and their indexes. */
  readonly database: string[];
  /** Inside the keyword index, which can be rewritten from the records. */
  readonly index: string[];
}

/** What SQLite itself finds wrong; it looks through FTS5 indexes too. `quick` leaves out indexes of tables. */
export function damageOf(sqlite: SqliteConnection.Database, check: 'quick' | 'integrity'): Damage {
  const rows = sqlite.pragma(`${check}_check(${linesMax})`) as Record<string, string>[];
  const damage = rows.flatMap((row) => Object.values(row)).filter((line) => line !== 'ok');
  return {
    database: damage.filter((line) => !ofIndex.test(line)),
    index: damage.filter((line) => ofIndex.test(line)),
  };
}
