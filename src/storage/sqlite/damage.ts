import type SqliteConnection from 'better-sqlite3';

const linesMax = 20;
/** Names of the keyword index in SQLite's messages on damage. */
const ofIndex = /keyword_index|fts5/i;

export interface Damage {
  /** Damage of tables and their indexes. */
  readonly database: string[];
  /** Damage inside the keyword index, which can be rewritten from the records. */
  readonly index: string[];
}

/** Faults that SQLite's own check finds, also in FTS5 indexes. `quick` leaves out indexes of tables. */
export function damageOf(sqlite: SqliteConnection.Database, check: 'quick' | 'integrity'): Damage {
  const rows = sqlite.pragma(`${check}_check(${linesMax})`) as Record<string, string>[];
  const damage = rows.flatMap((row) => Object.values(row)).filter((line) => line !== 'ok');
  return {
    database: damage.filter((line) => !ofIndex.test(line)),
    index: damage.filter((line) => ofIndex.test(line)),
  };
}
