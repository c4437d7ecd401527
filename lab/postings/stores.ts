import SqliteConnection from 'better-sqlite3';
import { frequencyKey, frequencyMax, postingKeys } from '../../src/storage/sql/search-index/keyword-index.ts';
import { keywordTable } from '../../src/storage/sqlite/keyword-index.ts';

export interface Document {
  readonly doc: number;
  /** Prefix of the document's user and kind. */
  readonly prefix: string;
  readonly terms: readonly string[];
}

/** One way to keep postings in a SQLite file of its own. */
export interface PostingsStore {
  readonly sqlite: SqliteConnection.Database;
  /** Inserts documents in one transaction. */
  insert(group: readonly Document[]): void;
  /** Idle work between groups; empty for a table. */
  tidy(): void;
  /** Documents of the term in ascending order, with its frequency in each. */
  lookUp(prefix: string, term: string): { docs: number[]; frequencies: number };
  /** Erases documents in one transaction; no byte of them is left in the index. */
  erase(group: readonly Document[]): void;
}

/** Opens a file with the settings of a served store. */
function open(path: string, schema: string): SqliteConnection.Database {
  const sqlite = new SqliteConnection(path);
  for (const setting of [
    'journal_mode = WAL',
    'synchronous = FULL',
    'secure_delete = ON',
    'cache_size = -65536',
  ])
    sqlite.pragma(setting);
  sqlite.pragma('wal_autocheckpoint = 4000');
  sqlite.exec(schema);
  return sqlite;
}

/** The present way (ADR 2): keys are words of a contentless FTS5 table. */
export function fts5Store(path: string): PostingsStore {
  const sqlite = open(path, keywordTable);
  const remove = sqlite.prepare<[number]>('DELETE FROM keyword_index WHERE rowid = ?');
  const rewrite = sqlite.prepare("INSERT INTO keyword_index (keyword_index) VALUES ('optimize')");
  return {
    ...fts5Over(sqlite),
    // The service merges in steps, which rewrite all segments in the end, as here.
    erase: sqlite.transaction((group: readonly Document[]) => {
      for (const { doc } of group) remove.run(doc);
      rewrite.run();
    }),
  };
}

function fts5Over(sqlite: SqliteConnection.Database): Omit<PostingsStore, 'erase'> {
  const add = sqlite.prepare<[number, string]>('INSERT INTO keyword_index (rowid, keys) VALUES (?, ?)');
  const find = sqlite
    .prepare<[string], number>('SELECT rowid FROM keyword_index WHERE keyword_index MATCH ?')
    .pluck();
  const merge = sqlite.prepare("INSERT INTO keyword_index (keyword_index, rank) VALUES ('merge', 8)");
  return {
    sqlite,
    insert: sqlite.transaction((group: readonly Document[]) => {
      for (const { doc, prefix, terms } of group) add.run(doc, postingKeys(prefix, terms).join(' '));
    }),
    tidy: () => void merge.run(),
    lookUp: (prefix, term) => {
      const docs = find.all(`"${prefix}${term}"`);
      let frequencies = docs.length;
      for (let n = 2, more = docs.length; more > 0 && n <= frequencyMax; n++) {
        more = find.all(`"${frequencyKey(prefix, term, n)}"`).length;
        frequencies += more;
      }
      return { docs, frequencies };
    },
  };
}

/**
 * FTS5 with `secure-delete`: removes entries from its segments at once, given the words again; no tombstones.
 */
export function secureDeleteStore(path: string): PostingsStore {
  const sqlite = open(path, keywordTable.replace(' contentless_delete=1,', ''));
  sqlite.exec("INSERT INTO keyword_index (keyword_index, rank) VALUES ('secure-delete', 1)");
  const rest = fts5Over(sqlite);
  const remove = sqlite.prepare<[number, string]>(
    "INSERT INTO keyword_index (keyword_index, rowid, keys) VALUES ('delete', ?, ?)",
  );
  return {
    ...rest,
    erase: sqlite.transaction((group: readonly Document[]) => {
      for (const { doc, prefix, terms } of group) remove.run(doc, postingKeys(prefix, terms).join(' '));
    }),
  };
}

function countsOf(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, Math.min(frequencyMax, (counts.get(term) ?? 0) + 1));
  return counts;
}

/** A row per term of each document, keyed by the term itself. */
export function plainStore(path: string): PostingsStore {
  const sqlite = open(
    path,
    `CREATE TABLE postings (term TEXT NOT NULL, doc INTEGER NOT NULL, frequency INTEGER NOT NULL,
      PRIMARY KEY (term, doc)) WITHOUT ROWID`,
  );
  const add = sqlite.prepare<[string, number, number]>('INSERT INTO postings VALUES (?, ?, ?)');
  const remove = sqlite.prepare<[string, number]>('DELETE FROM postings WHERE term = ? AND doc = ?');
  const find = sqlite
    .prepare<[string], [number, number]>('SELECT doc, frequency FROM postings WHERE term = ?')
    .raw();
  return {
    sqlite,
    insert: sqlite.transaction((group: readonly Document[]) => {
      for (const { doc, prefix, terms } of group)
        for (const [term, count] of countsOf(terms)) add.run(prefix + term, doc, count);
    }),
    tidy: () => undefined,
    lookUp: (prefix, term) => pairsOf(find.all(prefix + term)),
    erase: sqlite.transaction((group: readonly Document[]) => {
      for (const { doc, prefix, terms } of group)
        for (const term of new Set(terms)) remove.run(prefix + term, doc);
    }),
  };
}

function pairsOf(rows: readonly [number, number][]): { docs: number[]; frequencies: number } {
  const docs: number[] = [];
  let frequencies = 0;
  for (const [doc, frequency] of rows) {
    docs.push(doc);
    frequencies += frequency;
  }
  return { docs, frequencies };
}

/** A row per term of each document, keyed by a number from a table of the user's terms. */
export function numberedStore(path: string): PostingsStore {
  const sqlite = open(
    path,
    `CREATE TABLE terms (id INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE);
     CREATE TABLE postings (term INTEGER NOT NULL, doc INTEGER NOT NULL, frequency INTEGER NOT NULL,
       PRIMARY KEY (term, doc)) WITHOUT ROWID`,
  );
  const idOf = sqlite.prepare<[string], number>('SELECT id FROM terms WHERE term = ?').pluck();
  const name = sqlite.prepare<[string], number>('INSERT INTO terms (term) VALUES (?) RETURNING id').pluck();
  const add = sqlite.prepare<[number, number, number]>('INSERT INTO postings VALUES (?, ?, ?)');
  const remove = sqlite.prepare<[number, number]>('DELETE FROM postings WHERE term = ? AND doc = ?');
  const isUsed = sqlite.prepare<[number], number>('SELECT 1 FROM postings WHERE term = ? LIMIT 1').pluck();
  const forget = sqlite.prepare<[number]>('DELETE FROM terms WHERE id = ?');
  const find = sqlite
    .prepare<[string], [number, number]>(
      'SELECT doc, frequency FROM postings WHERE term = (SELECT id FROM terms WHERE term = ?)',
    )
    .raw();
  return {
    sqlite,
    insert: sqlite.transaction((group: readonly Document[]) => {
      for (const { doc, prefix, terms } of group)
        for (const [term, count] of countsOf(terms)) {
          const id = idOf.get(prefix + term) ?? name.get(prefix + term);
          if (id !== undefined) add.run(id, doc, count);
        }
    }),
    tidy: () => undefined,
    lookUp: (prefix, term) => pairsOf(find.all(prefix + term)),
    erase: sqlite.transaction((group: readonly Document[]) => {
      for (const { doc, prefix, terms } of group)
        for (const term of new Set(terms)) {
          const id = idOf.get(prefix + term);
          if (id === undefined) continue;
          remove.run(id, doc);
          if (isUsed.get(id) === undefined) forget.run(id);
        }
    }),
  };
}
