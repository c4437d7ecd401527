import type SqliteConnection from 'better-sqlite3';
import { pauseAfter } from '../../lib/loop-time.ts';
import type { DocumentKind, Postings } from '../../search-index/ports.ts';
import {
  frequencyKey,
  frequencyMax,
  type IndexedTerms,
  type KeywordWriter,
  KnownTerms,
  keyPrefix,
  postingKeys,
  toPostings,
} from '../sql/search-index/keyword-index.ts';
import type { ReadTransaction } from './dialect.ts';
import { toStorageError } from './errors.ts';

/**
 * FTS5 as a plain inverted index: contentless (no stored text), docids only
 * (`detail=none`), with ready-made keys. The `ascii` tokenizer keeps every
 * non-ASCII character and, by `tokenchars`, the underscore of our keys.
 */
export const keywordTable = `CREATE VIRTUAL TABLE keyword_index USING fts5(
  keys, content='', contentless_delete=1, detail=none, tokenize="ascii tokenchars '_'"
)`;

/** A table of its own, because listing the terms of an FTS5 index walks the postings of each. */
export const vocabularyTable = `CREATE TABLE user_terms (
  user_id INTEGER NOT NULL,
  term TEXT NOT NULL,
  PRIMARY KEY (user_id, term)
) WITHOUT ROWID`;

interface PendingDocument {
  readonly doc: number;
  /** Undefined erases the document. */
  readonly keys?: string;
  readonly userId: number;
  /** Terms to add to the user's vocabulary. */
  readonly terms: readonly string[];
}

interface ErasedTerms {
  readonly userId: number;
  readonly terms: readonly string[];
}

/**
 * Documents of the open group, written to the index just before its commit. At every savepoint
 * FTS5 writes its buffer to a segment of its own (fts5SavepointMethod); one flush a group of 32
 * instead of one a body made its inserts 1.5 times faster (median of seven alternating runs).
 */
export class PendingDocuments {
  readonly #insert: SqliteConnection.Statement<[number, string]>;
  readonly #delete: SqliteConnection.Statement<[number]>;
  readonly #readCounter: SqliteConnection.Statement<[], number>;
  readonly #writeCounter: SqliteConnection.Statement<[number]>;
  readonly #insertTerm: SqliteConnection.Statement<[number, string]>;
  readonly #deleteTerm: SqliteConnection.Statement<[number, string]>;
  readonly #docWith: SqliteConnection.Statement<[string], number>;
  readonly #known = new KnownTerms();
  readonly #pending: PendingDocument[] = [];
  /** Documents written by `flush` and not yet committed. */
  #flushed: readonly PendingDocument[] = [];
  readonly #erasedTerms: ErasedTerms[] = [];
  #mark = 0;
  #erasedMark = 0;
  /** The last number given in this group; undefined until the first request. */
  #lastDoc: number | undefined;

  constructor(sqlite: SqliteConnection.Database) {
    this.#insert = sqlite.prepare('INSERT INTO keyword_index (rowid, keys) VALUES (?, ?)');
    this.#delete = sqlite.prepare('DELETE FROM keyword_index WHERE rowid = ?');
    this.#insertTerm = sqlite.prepare('INSERT OR IGNORE INTO user_terms (user_id, term) VALUES (?, ?)');
    this.#deleteTerm = sqlite.prepare('DELETE FROM user_terms WHERE user_id = ? AND term = ?');
    this.#docWith = sqlite
      .prepare<[string], number>('SELECT rowid FROM keyword_index WHERE keyword_index MATCH ? LIMIT 1')
      .pluck();
    this.#readCounter = sqlite
      .prepare<[], number>("SELECT value FROM store_counters WHERE name = 'doc'")
      .pluck();
    this.#writeCounter = sqlite.prepare("UPDATE store_counters SET value = ? WHERE name = 'doc'");
  }

  /** The first of `count` numbers of the whole store. The counter is read once per group and written at its end. */
  nextDocs(count: number): number {
    const last = this.#lastDoc ?? this.#readCounter.get();
    if (last === undefined) throw new Error('The document counter is missing.');
    this.#lastDoc = last + count;
    return last + 1;
  }

  add(document: PendingDocument): void {
    this.#pending.push(document);
  }

  /**
   * `flush` checks whether a memory still contains them, once the documents of the whole group are written.
   */
  eraseTerms(erased: ErasedTerms): void {
    this.#erasedTerms.push(erased);
  }

  savepoint(): void {
    this.#mark = this.#pending.length;
    this.#erasedMark = this.#erasedTerms.length;
  }

  undo(): void {
    this.#pending.length = this.#mark;
    this.#erasedTerms.length = this.#erasedMark;
  }

  discard(): void {
    this.#pending.length = 0;
    this.#erasedTerms.length = 0;
    this.#flushed = [];
    this.#lastDoc = undefined;
  }

  flush(): void {
    if (this.#lastDoc !== undefined) this.#writeCounter.run(this.#lastDoc);
    const flushed = this.#pending.map(({ doc, keys, userId, terms }) => {
      if (keys === undefined) this.#delete.run(doc);
      else this.#insert.run(doc, keys);
      const fresh = this.#known.unknownAmong(userId, terms);
      for (const term of fresh) this.#insertTerm.run(userId, term);
      return { doc, userId, terms: fresh };
    });
    for (const erased of this.#erasedTerms) this.#dropUnheld(erased);
    this.discard();
    this.#flushed = flushed;
  }

  #dropUnheld({ userId, terms }: ErasedTerms): void {
    const prefix = keyPrefix('memory', userId);
    const unheld = [...new Set(terms)].filter(
      (term) => this.#docWith.get(`"${frequencyKey(prefix, term, 1)}"`) === undefined,
    );
    for (const term of unheld) this.#deleteTerm.run(userId, term);
    this.#known.forget(userId, unheld);
  }

  committed(): void {
    for (const { userId, terms } of this.#flushed) this.#known.add(userId, terms);
    this.#flushed = [];
  }
}

export class SqliteKeywordWriter implements KeywordWriter {
  readonly #userId: number;
  readonly #documents: PendingDocuments;

  constructor(userId: number, documents: PendingDocuments) {
    this.#userId = userId;
    this.#documents = documents;
  }

  async nextDoc(): Promise<number> {
    return this.#documents.nextDocs(1);
  }

  async nextDocs(count: number): Promise<number> {
    return this.#documents.nextDocs(count);
  }

  async add(kind: DocumentKind, doc: number, terms: readonly string[]): Promise<void> {
    const keys = postingKeys(keyPrefix(kind, this.#userId), terms).join(' ');
    this.#documents.add({ doc, keys, userId: this.#userId, terms: kind === 'memory' ? terms : [] });
  }

  async someDocs(count: number): Promise<number[]> {
    const first = this.#documents.nextDocs(count);
    return Array.from({ length: count }, (_, i) => first + i);
  }

  async addAll(kind: DocumentKind, documents: readonly IndexedTerms[]): Promise<void> {
    for (const { doc, terms } of documents) await this.add(kind, doc, terms);
  }

  async erase(docs: readonly number[]): Promise<void> {
    for (const doc of docs) this.#documents.add({ doc, userId: this.#userId, terms: [] });
  }

  async forgetTerms(terms: readonly string[]): Promise<void> {
    this.#documents.eraseTerms({ userId: this.#userId, terms });
  }
}

export class SqliteKeywordReader {
  readonly #userId: number;
  readonly #select: SqliteConnection.Statement<[string, number], number>;
  readonly #turn: ReadTransaction;

  constructor(sqlite: SqliteConnection.Database, turn: ReadTransaction, userId: number) {
    this.#userId = userId;
    this.#select = readStatement(sqlite);
    this.#turn = turn;
  }

  async postings(
    kind: DocumentKind,
    terms: readonly string[],
    after: readonly number[] = [],
  ): Promise<Postings[]> {
    const prefix = keyPrefix(kind, this.#userId);
    return this.#readEach(terms, (term, i) => this.#postingsOf(prefix, term, after[i]));
  }

  async docsContaining(
    kind: DocumentKind,
    terms: readonly string[],
    after: readonly number[] = [],
  ): Promise<number[][]> {
    const prefix = keyPrefix(kind, this.#userId);
    return this.#readEach(terms, (term, i) => this.#docs(frequencyKey(prefix, term, 1), after[i]));
  }

  /** @throws the failure as clients see it */
  async #readEach<T>(terms: readonly string[], read: (term: string, i: number) => T): Promise<T[]> {
    const found: T[] = [];
    for (const [i, term] of terms.entries()) {
      const pause = pauseAfter();
      if (pause) await pause;
      try {
        this.#turn.enter();
        found.push(read(term, i));
      } catch (error) {
        throw toStorageError(error);
      }
    }
    return found;
  }

  #postingsOf(prefix: string, term: string, after?: number): Postings {
    const docs = this.#docs(frequencyKey(prefix, term, 1), after);
    const repeated: number[][] = [];
    for (let frequency = 2; docs.length > 0 && frequency <= frequencyMax; frequency++) {
      const list = this.#docs(frequencyKey(prefix, term, frequency), after);
      if (list.length === 0) break;
      repeated.push(list);
    }
    return toPostings(docs, repeated);
  }

  #docs(key: string, after = 0): number[] {
    return this.#select.all(`"${key}"`, after);
  }
}

const preparedReads = new WeakMap<
  SqliteConnection.Database,
  SqliteConnection.Statement<[string, number], number>
>();

function readStatement(
  sqlite: SqliteConnection.Database,
): SqliteConnection.Statement<[string, number], number> {
  const known = preparedReads.get(sqlite);
  if (known) return known;
  const statement = sqlite
    .prepare<[string, number], number>(
      'SELECT rowid FROM keyword_index WHERE keyword_index MATCH ? AND rowid > ?',
    )
    .pluck();
  preparedReads.set(sqlite, statement);
  return statement;
}
