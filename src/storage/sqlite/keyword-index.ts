import type SqliteConnection from 'better-sqlite3';
import type { DocumentKind, Postings } from '../../retrieval/ports.ts';
import type { KeywordWriter } from '../sql/keyword-writer.ts';
import { frequencyKey, frequencyMax, keyPrefix, postingKeys, toPostings } from '../sql/posting-keys.ts';

/**
 * FTS5 as a plain inverted index: contentless (no stored text), docids only (`detail=none`), fed with finished keys.
 * The `ascii` tokenizer keeps every non-ASCII character and, by `tokenchars`, the underscore of our keys.
 */
export const keywordTable = `CREATE VIRTUAL TABLE keyword_index USING fts5(
  keys, content='', contentless_delete=1, detail=none, tokenize="ascii tokenchars '_'"
)`;

export class SqliteKeywordWriter implements KeywordWriter {
  readonly #userId: number;
  readonly #nextDoc: SqliteConnection.Statement<[], number>;
  readonly #insert: SqliteConnection.Statement<[number, string]>;
  readonly #delete: SqliteConnection.Statement<[number]>;

  constructor(sqlite: SqliteConnection.Database, userId: number) {
    const statements = writeStatements(sqlite);
    this.#userId = userId;
    this.#nextDoc = statements.nextDoc;
    this.#insert = statements.insert;
    this.#delete = statements.delete;
  }

  async nextDoc(): Promise<number> {
    const doc = this.#nextDoc.get();
    if (doc === undefined) throw new Error('The document counter is missing.');
    return doc;
  }

  async add(kind: DocumentKind, doc: number, terms: readonly string[]): Promise<void> {
    this.#insert.run(doc, postingKeys(keyPrefix(kind, this.#userId), terms).join(' '));
  }

  async erase(docs: readonly number[]): Promise<void> {
    for (const doc of docs) this.#delete.run(doc);
  }
}

type WriteStatements = {
  readonly nextDoc: SqliteConnection.Statement<[], number>;
  readonly insert: SqliteConnection.Statement<[number, string]>;
  readonly delete: SqliteConnection.Statement<[number]>;
};

const preparedWrites = new WeakMap<SqliteConnection.Database, WriteStatements>();

function writeStatements(sqlite: SqliteConnection.Database): WriteStatements {
  const known = preparedWrites.get(sqlite);
  if (known) return known;
  const statements = {
    nextDoc: sqlite
      .prepare<[], number>("UPDATE store_counters SET value = value + 1 WHERE name = 'doc' RETURNING value")
      .pluck(),
    insert: sqlite.prepare<[number, string]>('INSERT INTO keyword_index (rowid, keys) VALUES (?, ?)'),
    delete: sqlite.prepare<[number]>('DELETE FROM keyword_index WHERE rowid = ?'),
  };
  preparedWrites.set(sqlite, statements);
  return statements;
}

export class SqliteKeywordReader {
  readonly #userId: number;
  readonly #select: SqliteConnection.Statement<[string], number>;

  constructor(sqlite: SqliteConnection.Database, userId: number) {
    this.#userId = userId;
    this.#select = readStatement(sqlite);
  }

  async postings(kind: DocumentKind, terms: readonly string[]): Promise<Postings[]> {
    const prefix = keyPrefix(kind, this.#userId);
    return terms.map((term) => this.#postingsOf(prefix, term));
  }

  #postingsOf(prefix: string, term: string): Postings {
    const docs = this.#docs(frequencyKey(prefix, term, 1));
    const repeated: number[][] = [];
    for (let frequency = 2; frequency <= frequencyMax; frequency++) {
      const list = this.#docs(frequencyKey(prefix, term, frequency));
      if (list.length === 0) break;
      repeated.push(list);
    }
    return toPostings(docs, repeated);
  }

  #docs(key: string): number[] {
    return this.#select.all(`"${key}"`);
  }
}

const preparedReads = new WeakMap<SqliteConnection.Database, SqliteConnection.Statement<[string], number>>();

function readStatement(sqlite: SqliteConnection.Database): SqliteConnection.Statement<[string], number> {
  const known = preparedReads.get(sqlite);
  if (known) return known;
  const statement = sqlite
    .prepare<[string], number>('SELECT rowid FROM keyword_index WHERE keyword_index MATCH ?')
    .pluck();
  preparedReads.set(sqlite, statement);
  return statement;
}
