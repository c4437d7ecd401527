import type { DocumentIndexer, IndexedDocument, TextVectors } from '../../../domain/shared/text-indexer.ts';
import { rest } from '../../../lib/throttle.ts';
import type { DocumentKind } from '../../../search-index/ports.ts';
import type { CellValue, TableRow, UserHead } from '../../transfer.ts';
import type { ConversationsTable, FactsTable, UserTable } from '../core/schema.ts';
import { documentKindOf } from '../core/user-data-tables.ts';
import { UserDatabase } from '../core/user-database.ts';
import { recordFirstSteps } from '../jobs/job-writer.ts';
import { memoryRecord } from '../memories/memory-columns.ts';
import type { KeywordWriter } from '../search-index/keyword-index.ts';
import type { UpkeepDeps } from '../sql-driver.ts';
import { VectorWriter } from '../vectors/vector-writer.ts';
import { movedEvidence } from './record-check.ts';
import type { TableShape } from './table-shapes.ts';

const rowsAtOnce = 200;
/** Characters of one transaction, unless a single row is longer. */
const charactersAtOnce = 1_000_000;
const restMsMax = 100;
/** Half of the integers that are exact: imports leave the other half to writes. */
const numbersMax = 2 ** 52;

type Row = Record<string, CellValue | Buffer>;

export class LoadSupersededError extends Error {
  constructor() {
    super('Another import of the same user began: this one ends here.');
    this.name = 'LoadSupersededError';
  }
}

/** Row of `users` while the user is loaded. */
interface LoadingUser {
  readonly id: number;
  readonly name: string;
}

export interface LoaderDeps extends Pick<UpkeepDeps, 'indexer' | 'spaces' | 'steps' | 'writeOf'> {
  readonly shapes: readonly TableShape[];
}

function documentOf(indexer: DocumentIndexer, kind: DocumentKind, row: Row): IndexedDocument {
  if (kind === 'memory') return indexer.memory(memoryRecord.ofTableRow(row));
  if (kind === 'fact') return indexer.fact(row as unknown as FactsTable);
  const { title, summary } = row as unknown as ConversationsTable;
  return indexer.conversation(title, summary);
}

/** Rows of one table, with the data that the indexes keep of their texts. */
interface LoadedRows {
  readonly table: UserTable;
  readonly kind: DocumentKind | undefined;
  readonly rows: readonly Row[];
  /** Per row; empty if the table has no texts to be found. */
  readonly documents: readonly IndexedDocument[];
  /** Per row of `memory_versions`. */
  readonly vectors: readonly (readonly TextVectors[])[];
}

/** Writes the rows of one user in batches, each a transaction with the documents of its rows. */
export class UserLoader {
  readonly #user: LoadingUser;
  readonly #deps: LoaderDeps;
  /** Offset between a document number of the file and that of this store. */
  readonly #docShift: number;
  #table = '';
  #rows: Row[] = [];
  #characters = 0;

  private constructor(deps: LoaderDeps, user: LoadingUser, docShift: number) {
    this.#deps = deps;
    this.#user = user;
    this.#docShift = docShift;
  }

  /** Reserves numbers for the user's documents. */
  static async begin(deps: LoaderDeps, user: LoadingUser, head: UserHead): Promise<UserLoader> {
    const span = head.lastDoc - head.firstDoc + 1;
    if (span <= 0) return new UserLoader(deps, user, 0);
    const first = await deps.writeOf(user.id, async (_db, keywords) => {
      // Checked before they are taken: on PostgreSQL, numbers that were taken cannot be given back.
      const next = await keywords.nextDocs(1);
      if (next + span > numbersMax) throw new Error(`The store has no ${span} document numbers left.`);
      return keywords.nextDocs(span);
    });
    return new UserLoader(deps, user, first - head.firstDoc);
  }

  async add({ table, row }: TableRow): Promise<void> {
    if (table !== this.#table || this.#rows.length >= rowsAtOnce || this.#characters >= charactersAtOnce) {
      await this.flush();
    }
    this.#table = table;
    this.#rows.push(this.#toStored(table, row));
    for (const value of Object.values(row)) if (typeof value === 'string') this.#characters += value.length;
  }

  async flush(): Promise<void> {
    const rows = this.#rows;
    if (rows.length === 0) return;
    this.#rows = [];
    this.#characters = 0;
    const began = performance.now();
    const { id, name } = this.#user;
    const loaded = this.#indexed(rows);
    await this.#deps.writeOf(id, async (handle, keywords) => {
      // Changes nothing; locks the row, so that a process that
      // erases this user waits until our rows are committed.
      const ours = handle.updateTable('users').set({ name }).where('id', '=', id).where('name', '=', name);
      if (!(await ours.returning('id').executeTakeFirst())) throw new LoadSupersededError();
      await this.#write(new UserDatabase(handle, id), keywords, loaded);
    });
    // Leaves time for the writes of a running service.
    await rest(Math.min(restMsMax, performance.now() - began));
  }

  #toStored(table: string, row: TableRow['row']): Row {
    const shape = this.#deps.shapes.find((known) => known.table === table);
    if (!shape) throw new Error(`There is no table ${table}.`);
    const stored: Row = { ...row };
    if (shape.hasDoc) stored.doc = Number(row.doc) + this.#docShift;
    if (typeof row.evidence === 'string')
      stored.evidence = movedEvidence(JSON.parse(row.evidence), this.#docShift);
    for (const { name, type } of shape.columns) {
      const value = row[name];
      if (type === 'bytes' && typeof value === 'string') stored[name] = Buffer.from(value, 'base64');
    }
    return stored;
  }

  /** Computed before the transaction, which locks the user. */
  #indexed(rows: readonly Row[]): LoadedRows {
    const { indexer } = this.#deps;
    const table = this.#table as UserTable;
    const kind = documentKindOf(table);
    const documents = kind === undefined ? [] : rows.map((row) => documentOf(indexer, kind, row));
    const vectors = kind === 'memory' ? rows.map(({ content }) => indexer.vectors(String(content))) : [];
    return { table, kind, rows, documents, vectors };
  }

  async #write(db: UserDatabase, keywords: KeywordWriter, loaded: LoadedRows): Promise<void> {
    const { table, kind, rows, documents, vectors } = loaded;
    if (kind === undefined) {
      await db.tables.insertAll(table, rows as never).execute();
      return;
    }
    const indexed = rows.map((row, i) => {
      const { terms, traits, speaker, metadataKeys } = documents[i];
      const columns = kind === 'memory' ? { traits, speaker, metadata_keys: metadataKeys } : {};
      return { ...row, ...columns, term_count: terms.length };
    });
    await db.tables.insertAll(table, indexed as never).execute();
    const { spaces, steps } = this.#deps;
    const writer = new VectorWriter(db, { spaces, steps });
    for (const [i, { terms }] of documents.entries()) {
      const doc = Number(rows[i].doc);
      await keywords.add(kind, doc, terms);
      if (kind !== 'memory') continue;
      await writer.write(doc, vectors[i]);
      await recordFirstSteps(db, steps, doc);
    }
  }
}
